// The story, told by the client that @hey-api/openapi-ts makes.
//
//     hey_api.js ADDRESS TOKEN SEALED_FILE

import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import {
  documentUpload,
  itineraryCreate,
  itineraryDelete,
  itineraryList,
  itineraryUpdate,
  itineraryView,
  stopUpdate,
  type ItineraryCreate,
  type ItineraryPatch,
  type StopInput,
} from "./hey-api";
import { client } from "./hey-api/client.gen";

const [address, token, sealed] = process.argv.slice(2) as [string, string, string];
client.setConfig({ baseUrl: address, auth: () => token });

const DEPARTURE = "2027-05-15T08:05:00+01:00";
const castle: StopInput = { name: "Castelo de São Jorge", category: "landmark", startTime: "10:00" };
const trip: ItineraryCreate = {
  title: "A weekend in Lisbon",
  summary: "Tiles and trams",
  origin: { name: "Bath", countryCode: "GB" },
  destination: { name: "Lisbon", coordinate: { latitude: 38.72, longitude: -9.14 } },
  startDate: "2027-05-15",
  days: [{ stops: [castle] }, {}],
  flights: [{ flightNumber: "TP 1335", departureDate: DEPARTURE, cabinClass: "economy" }],
};

/** Creates an itinerary. The key makes a retry safe. */
async function create(body: ItineraryCreate, key: string) {
  const { data, response } = await itineraryCreate({ body, headers: { "Idempotency-Key": key } });
  assert.equal(response?.status, 201);
  assert(data);
  return { id: data.id, etag: tagOf(response) };
}

function tagOf(response: Response | undefined): string {
  const etag = response?.headers.get("etag");
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
  const read = await itineraryView({ path });
  assert(read.data);
  assert.equal(read.data.title, trip.title);
  assert.equal(read.data.flights?.[0]?.departureDate, DEPARTURE);
  const day = read.data.days[0];
  const stop = day?.stops[0];
  assert(day && stop);
  assert.equal(stop.category, "landmark");

  // Not modified.
  const unchanged = await itineraryView({ path, headers: { "If-None-Match": tagOf(read.response) } });
  assert.equal(unchanged.response?.status, 304);

  // Change, and lose against somebody who was faster.
  const change = (etag: string, body: ItineraryPatch) => itineraryUpdate({ path, body, headers: { "If-Match": etag } });
  const changed = await change(first.etag, { title: "Spring in Lisbon" });
  assert.equal(changed.data?.title, "Spring in Lisbon");
  const late = await change(first.etag, { title: "Autumn in Lisbon" });
  assert.equal(late.response?.status, 409);
  assert.equal(late.error?.error.code, "itineraryModified");

  // One stop, by its path.
  const moved = await stopUpdate({
    path: { id: first.id, dayId: day.id, stopId: stop.id },
    headers: { "If-Match": tagOf(changed.response) },
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
    const page = await itineraryList({ query: { limit: 1, filter: "owned", cursor } });
    assert(page.data);
    seen.push(...page.data.data.map(({ id }) => id));
    cursor = page.data.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(seen.toSorted(), [first.id, second.id].toSorted());

  // A sealed file.
  const file = await openAsBlob(sealed);
  const uploaded = await documentUpload({ path, body: { file, name: "Boarding pass", category: "boardingPass" } });
  assert.equal(uploaded.response?.status, 201);
  assert.equal(uploaded.data?.name, "Boarding pass");
  assert.equal(uploaded.data.size, file.size);

  // Delete.
  for (const id of [first.id, second.id]) {
    const current = await itineraryView({ path: { id } });
    const deleted = await itineraryDelete({ path: { id }, headers: { "If-Match": tagOf(current.response) } });
    assert.equal(deleted.response?.status, 204);
  }
  const gone = await itineraryView({ path });
  assert.equal(gone.error?.error.code, "notFound");

  // What the types must refuse.
  // @ts-expect-error: a change names the version that it is based on.
  void (() => itineraryUpdate({ path, body: {} }));
  // @ts-expect-error: a title cannot be cleared.
  void (() => change("", { title: null }));
}

void story();
