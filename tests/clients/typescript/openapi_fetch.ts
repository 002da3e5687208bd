// The story, told by openapi-fetch with the types that openapi-typescript makes.
//
//     openapi_fetch.js ADDRESS TOKEN SEALED_FILE

import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

const [address, token, sealed] = process.argv.slice(2) as [string, string, string];
const api = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } });

const DEPARTURE = "2027-05-15T08:05:00+01:00";
const castle: components["schemas"]["StopInput"] = { name: "Castelo de São Jorge", category: "landmark", startTime: "10:00" };
const trip: components["schemas"]["ItineraryCreate"] = {
  title: "A weekend in Lisbon",
  summary: "Tiles and trams",
  origin: { name: "Bath", countryCode: "GB" },
  destination: { name: "Lisbon", coordinate: { latitude: 38.72, longitude: -9.14 } },
  startDate: "2027-05-15",
  days: [{ stops: [castle] }, {}],
  flights: [{ flightNumber: "TP 1335", departureDate: DEPARTURE, cabinClass: "economy" }],
};

/** Creates an itinerary. The key makes a retry safe. */
async function create(body: components["schemas"]["ItineraryCreate"], key: string) {
  const { data, response } = await api.POST("/v1/itineraries", {
    params: { header: { "Idempotency-Key": key } },
    body,
  });
  assert.equal(response.status, 201);
  assert(data);
  return { id: data.id, etag: tagOf(response) };
}

function tagOf(response: Response): string {
  const etag = response.headers.get("etag");
  assert(etag);
  return etag;
}

async function story(): Promise<void> {
  // Create.
  const key = crypto.randomUUID();
  const first = await create(trip, key);
  assert.deepEqual(await create(trip, key), first);
  const second = await create({ ...trip, startDate: "2027-06-15", flights: [] }, crypto.randomUUID());
  const path = { id: first.id };

  // Read.
  const read = await api.GET("/v1/itineraries/{id}", { params: { path } });
  assert(read.data);
  assert.equal(read.data.title, trip.title);
  assert.equal(read.data.flights?.[0]?.departureDate, DEPARTURE);
  const day = read.data.days[0];
  const stop = day?.stops[0];
  assert(day && stop);
  assert.equal(stop.category, "landmark");

  // Not modified.
  const unchanged = await api.GET("/v1/itineraries/{id}", {
    params: { path, header: { "If-None-Match": tagOf(read.response) } },
  });
  assert.equal(unchanged.response.status, 304);

  // Change, and lose against somebody who was faster.
  const change = (etag: string, body: components["schemas"]["ItineraryPatch"]) =>
    api.PATCH("/v1/itineraries/{id}", { params: { path, header: { "If-Match": etag } }, body });
  const changed = await change(first.etag, { title: "Spring in Lisbon" });
  assert.equal(changed.data?.title, "Spring in Lisbon");
  const late = await change(first.etag, { title: "Autumn in Lisbon" });
  assert.equal(late.response.status, 409);
  assert.equal(late.error?.error.code, "itineraryModified");

  // One stop, by its path.
  const moved = await api.PATCH("/v1/itineraries/{id}/days/{dayId}/stops/{stopId}", {
    params: { path: { id: first.id, dayId: day.id, stopId: stop.id }, header: { "If-Match": tagOf(changed.response) } },
    body: { startTime: "11:30" },
  });
  assert.equal(moved.data?.days[0]?.stops[0]?.startTime, "11:30");

  // Clear fields.
  const cleared = await change(tagOf(moved.response), { summary: null, origin: null });
  assert(cleared.data);
  assert.deepEqual([cleared.data.summary ?? null, cleared.data.origin ?? null], [null, null]);

  // Pages.
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await api.GET("/v1/itineraries", { params: { query: { limit: 1, filter: "owned", cursor } } });
    assert(page.data);
    seen.push(...page.data.data.map(({ id }) => id));
    cursor = page.data.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(seen.toSorted(), [first.id, second.id].toSorted());

  // A sealed file. The types call a file of a form a string.
  const file = await openAsBlob(sealed);
  const uploaded = await api.POST("/v1/itineraries/{id}/documents", {
    params: { path },
    body: { file: file as unknown as string, name: "Boarding pass", category: "boardingPass" },
    bodySerializer(body) {
      const form = new FormData();
      for (const [name, value] of Object.entries(body)) form.append(name, value as string | Blob);
      return form;
    },
  });
  assert.equal(uploaded.response.status, 201);
  assert.equal(uploaded.data?.name, "Boarding pass");
  assert.equal(uploaded.data.size, file.size);

  // Delete.
  for (const id of [first.id, second.id]) {
    const current = await api.GET("/v1/itineraries/{id}", { params: { path: { id } } });
    const header = { "If-Match": tagOf(current.response) };
    const deleted = await api.DELETE("/v1/itineraries/{id}", { params: { path: { id }, header } });
    assert.equal(deleted.response.status, 204);
  }
  const gone = await api.GET("/v1/itineraries/{id}", { params: { path } });
  assert.equal(gone.error?.error.code, "notFound");

  // What the types must refuse.
  // @ts-expect-error: a change names the version that it is based on.
  void (() => api.PATCH("/v1/itineraries/{id}", { params: { path }, body: {} }));
  // @ts-expect-error: a title cannot be cleared.
  void (() => change("", { title: null }));
}

void story();
