// Verifies deliveries, a JSON object a line, with the library of Standard Webhooks. Prints the type of each event, or why it is
// refused.

import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { Webhook } = createRequire(`${process.env.NODE_MODULES}/`)("standardwebhooks");

for await (const line of createInterface({ input: process.stdin })) {
  const { secret, headers, body } = JSON.parse(line);
  try {
    console.log(new Webhook(secret).verify(body, headers).type);
  } catch (error) {
    console.log(error.name);
  }
}
