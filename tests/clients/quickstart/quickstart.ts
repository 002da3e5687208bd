// The quickstart of /docs for TypeScript; tests/clients/run samples compiles and runs it.

import createClient from "openapi-fetch";
import type { paths } from "./schema";

async function main() {
  const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
  const api = createClient<paths>({ baseUrl: "http://127.0.0.1:8080", headers });
  const destination = { name: "Lisbon", coordinate: { latitude: 38.72, longitude: -9.14 } };
  const days = [{ stops: [{ name: "Belém Tower" }, { name: "Time Out Market" }] }];
  const query = { allowDuplicate: true };
  const created = await api.POST("/v1/itineraries", { params: { query }, body: { destination, days } });
  const path = { id: created.data!.id };
  const header = { "If-Match": created.response.headers.get("ETag")! };
  const changed = await api.PATCH("/v1/itineraries/{id}", { params: { path, header }, body: { title: "A day in Lisbon" } });
  console.log(changed.data?.title);
}

main();
