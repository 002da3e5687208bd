# The quickstart of /docs for Python; tests/clients/run samples runs it.

import os
import httpx

headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
api = httpx.Client(base_url="http://127.0.0.1:8080/v1", headers=headers)
lisbon = {"name": "Lisbon", "coordinate": {"latitude": 38.72, "longitude": -9.14}}
day = {"stops": [{"name": "Belém Tower"}, {"name": "Time Out Market"}]}
trip = {"destination": lisbon, "days": [day]}
created = api.post("/itineraries", params={"allowDuplicate": True}, json=trip).raise_for_status()
address, version = created.headers["Location"].removeprefix("/v1"), {"If-Match": created.headers["ETag"]}
changed = api.patch(address, headers=version, json={"title": "A day in Lisbon"}).raise_for_status()
print(changed.json()["title"])
