// A provider of OpenID Connect, from the npm package oidc-provider, which is certified. Prints its issuer when it listens.
// Each line of standard input is a trap for the next responses, as JSON, or null:
//
//     {"claims": {…}}        changes claims of the ID token, which is then signed again with the provider's key
//     {"signature": true}    changes the ID token's signature
//     {"callback": "…"}      sends the browser back with this `iss`, as another provider would
//     {"delay": seconds}     waits before the token endpoint answers
//
//     node provider.mjs REDIRECT_URI

import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.env.NODE_MODULES}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { default: Provider } = await load("oidc-provider");
const { exportJWK, generateKeyPair, importJWK, SignJWT } = await load("jose");

const { privateKey } = await generateKeyPair("RS256", { extractable: true });
const jwk = { ...(await exportJWK(privateKey)), kid: "one", alg: "RS256", use: "sig" };
const key = await importJWK(jwk, "RS256");

let trap = null;
const traps = createInterface({ input: process.stdin });
traps.on("line", (line) => (trap = JSON.parse(line)));
// The test has ended.
traps.on("close", () => process.exit());

const server = createServer();
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const issuer = `http://127.0.0.1:${server.address().port}`;
const provider = new Provider(issuer, {
  clients: [
    {
      client_id: "trips",
      client_secret: "a secret of the client",
      redirect_uris: [process.argv[2]],
      token_endpoint_auth_method: "client_secret_basic",
    },
  ],
  jwks: { keys: [jwk] },
  cookies: { keys: ["a key for the cookies of this test"] },
  claims: { openid: ["sub", "auth_time"], profile: ["name", "preferred_username"], email: ["email", "email_verified"] },
  conformIdTokenClaims: false,
  pkce: { required: () => true },
  findAccount: (_, sub) => ({
    accountId: sub,
    claims: () => ({
      sub,
      name: `The traveller ${sub}`,
      preferred_username: sub,
      email: `${sub}@id.example`,
      email_verified: true,
    }),
  }),
});

/// The ID token with what the trap changes.
async function trapped(token) {
  const [header, payload, signature] = token.split(".");
  if (trap.signature) {
    return [header, payload, `${signature[0] === "A" ? "B" : "A"}${signature.slice(1)}`].join(".");
  }
  const claims = { ...JSON.parse(Buffer.from(payload, "base64url")), ...trap.claims };
  return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one" }).sign(key);
}

provider.use(async (context, next) => {
  await next();
  if (!trap) return;
  if (context.path === "/token" && context.body?.id_token) {
    if (trap.delay) await new Promise((over) => setTimeout(over, trap.delay * 1000));
    context.body.id_token = await trapped(context.body.id_token);
  }
  const location = context.response.get("location");
  if (trap.callback && location?.startsWith(process.argv[2])) {
    const address = new URL(location);
    address.searchParams.set("iss", trap.callback);
    context.response.set("location", address.href);
  }
});
provider.on("server_error", (_, error) => console.error(error));
server.on("request", provider.callback());
console.log(issuer);
