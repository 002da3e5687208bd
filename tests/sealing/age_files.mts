// Seals the file of the first argument in several ways, into the folder of the second. Opens each again.

import { readFile, writeFile } from "node:fs/promises";
import {
  armor,
  Decrypter,
  Encrypter,
  generateHybridIdentity,
  generateX25519Identity,
  identityToRecipient,
} from "age-encryption";

const [from, to] = process.argv.slice(2);
const plain = await readFile(from);

async function check(name: string, sealed: Uint8Array, prepare: (decrypter: Decrypter) => void): Promise<void> {
  const decrypter = new Decrypter();
  prepare(decrypter);
  if (!plain.equals(await decrypter.decrypt(sealed))) {
    throw new Error(`${name}: what was opened is not what was sealed`);
  }
}

async function seal(name: string, identity: string): Promise<void> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  const sealed = await encrypter.encrypt(plain);
  await check(name, sealed, (decrypter) => decrypter.addIdentity(identity));
  await writeFile(`${to}/${name}.age`, sealed);
  const armored = armor.encode(sealed);
  await check(name, armor.decode(armored), (decrypter) => decrypter.addIdentity(identity));
  await writeFile(`${to}/${name}-armored.age`, armored);
}

async function sealWithPassphrase(passphrase: string): Promise<void> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase);
  // Quick: nobody attacks a sample.
  encrypter.setScryptWorkFactor(10);
  const sealed = await encrypter.encrypt(plain);
  await check("passphrase", sealed, (decrypter) => decrypter.addPassphrase(passphrase));
  await writeFile(`${to}/passphrase.age`, sealed);
}

await seal("x25519", await generateX25519Identity());
await seal("hybrid", await generateHybridIdentity());
await sealWithPassphrase("correct horse battery");
