# The quickstart of /docs for curl; tests/clients/run samples runs it.

API=http://127.0.0.1:8080/v1/itineraries
AUTH="Authorization: Bearer $TOKEN"
JSON='Content-Type: application/json'
curl -s "$API?allowDuplicate=true" -H "$AUTH" -H "$JSON" -D headers.txt -o trip.json -d '{
  "destination": {"name": "Lisbon", "coordinate": {"latitude": 38.72, "longitude": -9.14}},
  "days": [{"stops": [{"name": "Belém Tower"}, {"name": "Time Out Market"}]}]
}'
ID=$(cut -d'"' -f4 trip.json)
ETAG=$(sed -n 's/^etag: *//ip' headers.txt | tr -d '\r')
curl -s -X PATCH "$API/$ID" -H "$AUTH" -H "$JSON" -H "If-Match: $ETAG" -d '{"title": "A day in Lisbon"}'
