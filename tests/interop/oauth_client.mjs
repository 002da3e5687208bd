// Three OAuth clients for JavaScript: oauth4webapi, openid-client and @badgateway/oauth2-client. Each as a public and as a
// confidential client.
//
//     oauth_client.mjs LIBRARY KIND SERVICE USERNAME PASSWORD BROWSER…
//
// Registers, signs in, calls the API, refreshes, tries a used refresh token, signs in again and revokes.
// BROWSER is the command that follows a link as the traveller and prints the final redirect.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

const [library, kind, service, username, password, ...browser] = process.argv.slice(2);
const redirectUri = "http://127.0.0.1:51004/callback";
const scope = "itineraries:read itineraries:write";
const method = kind === "public" ? "none" : "client_secret_basic";

const registered = await (
  await fetch(`${service}/oauth/register`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ client_name: "Interop", redirect_uris: [redirectUri], token_endpoint_auth_method: method }),
  })
).json();
const { client_id: clientId, client_secret: clientSecret } = registered;
assert.ok(clientId, JSON.stringify(registered));

const follow = (link) => {
  const [command, ...first] = browser;
  return new URL(execFileSync(command, [...first, String(link), username, password], { encoding: "utf8" }).trim());
};

// An adapter per library: sign in, refresh and revoke; tokens are { access, refresh }.
const libraries = {
  async oauth4webapi() {
    const oauth = await import("oauth4webapi");
    const insecure = { [oauth.allowInsecureRequests]: true };
    const issuer = new URL(service);
    const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
    const server = await oauth.processDiscoveryResponse(issuer, found);
    const client = { client_id: clientId };
    const proof = clientSecret ? oauth.ClientSecretBasic(clientSecret) : oauth.None();
    const tokens = (answer) => ({ access: answer.access_token, refresh: answer.refresh_token });
    return {
      async signIn() {
        const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
        const link = new URL(server.authorization_endpoint);
        link.search = new URLSearchParams({
          client_id: clientId,
          redirect_uri: redirectUri,
          response_type: "code",
          scope,
          state,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        });
        const back = oauth.validateAuthResponse(server, client, follow(link), state);
        const grant = oauth.authorizationCodeGrantRequest;
        const answer = await grant(server, client, proof, back, redirectUri, verifier, insecure);
        return tokens(await oauth.processAuthorizationCodeResponse(server, client, answer));
      },
      async refresh(token) {
        const answer = await oauth.refreshTokenGrantRequest(server, client, proof, token, insecure);
        return tokens(await oauth.processRefreshTokenResponse(server, client, answer));
      },
      async revoke(token) {
        const answer = await oauth.revocationRequest(server, client, proof, token, insecure);
        await oauth.processRevocationResponse(answer);
      },
      isRefusal: (error) => error instanceof oauth.ResponseBodyError && error.error === "invalid_grant",
    };
  },

  async "openid-client"() {
    const openid = await import("openid-client");
    const proof = clientSecret ? openid.ClientSecretBasic(clientSecret) : openid.None();
    const execute = [openid.allowInsecureRequests];
    const config = await openid.discovery(new URL(service), clientId, undefined, proof, { algorithm: "oauth2", execute });
    const tokens = (answer) => ({ access: answer.access_token, refresh: answer.refresh_token });
    return {
      async signIn() {
        const [pkceCodeVerifier, expectedState] = [openid.randomPKCECodeVerifier(), openid.randomState()];
        const link = openid.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope,
          state: expectedState,
          code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: "S256",
        });
        return tokens(await openid.authorizationCodeGrant(config, follow(link), { pkceCodeVerifier, expectedState }));
      },
      refresh: async (token) => tokens(await openid.refreshTokenGrant(config, token)),
      revoke: (token) => openid.tokenRevocation(config, token),
      isRefusal: (error) => error instanceof openid.ResponseBodyError && error.error === "invalid_grant",
    };
  },

  async "@badgateway/oauth2-client"() {
    const { OAuth2Client, generateCodeVerifier } = await import("@badgateway/oauth2-client");
    const client = new OAuth2Client({
      server: service,
      clientId,
      clientSecret,
      discoveryEndpoint: "/.well-known/oauth-authorization-server",
    });
    const tokens = (answer) => ({ access: answer.accessToken, refresh: answer.refreshToken });
    const whole = (refreshToken) => ({ accessToken: "", expiresAt: null, refreshToken });
    return {
      async signIn() {
        const [codeVerifier, state] = [await generateCodeVerifier(), crypto.randomUUID()];
        const asked = { redirectUri, state, codeVerifier, scope: scope.split(" ") };
        const back = follow(await client.authorizationCode.getAuthorizeUri(asked));
        return tokens(await client.authorizationCode.getTokenFromCodeRedirect(back, { redirectUri, state, codeVerifier }));
      },
      refresh: async (token) => tokens(await client.refreshToken(whole(token))),
      revoke: (token) => client.revoke(whole(token), "refresh_token"),
      isRefusal: (error) => error.oauth2Code === "invalid_grant",
    };
  },
};

const status = async ({ access }) =>
  (await fetch(`${service}/v1/account`, { headers: { Authorization: `Bearer ${access}` } })).status;

const client = await libraries[library]();
const first = await client.signIn();
assert.equal(await status(first), 200, "the access token is good");
const second = await client.refresh(first.refresh);
assert.notEqual(second.refresh, first.refresh, "refreshing gives another refresh token");
assert.equal(await status(second), 200, "the refreshed access token is good");
await assert.rejects(client.refresh(first.refresh), client.isRefusal, "a refresh token is good once");
assert.equal(await status(second), 401, "a reuse ends the grant");
const third = await client.signIn();
assert.equal(await status(third), 200, "the access token of the second sign-in is good");
await client.revoke(third.refresh);
assert.equal(await status(third), 401, "a revoked grant is dead");
