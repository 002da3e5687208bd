"""The story, told by the client that openapi-python-client makes.

    story.py ADDRESS TOKEN SEALED_FILE
"""

import sys
from datetime import date
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID, uuid4

from itinerary_planning_service_client import AuthenticatedClient
from itinerary_planning_service_client.api.days import stop_update
from itinerary_planning_service_client.api.documents import document_upload
from itinerary_planning_service_client.api.itineraries import (
    itinerary_create,
    itinerary_delete,
    itinerary_list,
    itinerary_update,
    itinerary_view,
)
from itinerary_planning_service_client.models import (
    ErrorEnvelope,
    CabinClassInput,
    CoordinateInput,
    DayInput,
    DestinationInput,
    DocumentCategoryInput,
    DocumentUploadBody,
    FlightInput,
    Itinerary,
    ItineraryCreate,
    ItineraryPatch,
    ListedItineraryPage,
    ListFilter,
    PlaceInput,
    StopCategoryInput,
    StopInput,
    StopPatch,
    UploadedDocument,
)
from itinerary_planning_service_client.types import UNSET, File, Response, Unset

DEPARTURE = "2027-05-15T08:05:00+01:00"

Model = TypeVar("Model")


def parsed(response: Response[Any], kind: type[Model], status: int = HTTPStatus.OK) -> Model:
    assert response.status_code == status, response.content
    assert isinstance(response.parsed, kind)
    return response.parsed


def error_code(response: Response[Any], status: int) -> str:
    return str(parsed(response, ErrorEnvelope, status).error.code)


class Story:
    def __init__(self, client: AuthenticatedClient) -> None:
        self.client = client

    def create(self, start: date, flights: list[FlightInput], key: UUID) -> tuple[UUID, str]:
        """Creates an itinerary. The key makes a retry safe."""
        castle = StopInput(name="Castelo de São Jorge", category=StopCategoryInput.STOP_CATEGORY_LANDMARK, start_time="10:00")
        body = ItineraryCreate(
            title="A weekend in Lisbon",
            summary="Tiles and trams",
            origin=PlaceInput(name="Bath", country_code="GB"),
            destination=DestinationInput(name="Lisbon", coordinate=CoordinateInput(latitude=38.72, longitude=-9.14)),
            start_date=start,
            days=[DayInput(stops=[castle]), DayInput()],
            flights=flights,
        )
        response = itinerary_create.sync_detailed(client=self.client, body=body, idempotency_key=str(key))
        return parsed(response, Itinerary, HTTPStatus.CREATED).id, response.headers["ETag"]

    def change(self, id: UUID, etag: str, body: ItineraryPatch) -> Response[ErrorEnvelope | Itinerary]:
        return itinerary_update.sync_detailed(id, client=self.client, body=body, if_match=etag)

    def tell(self, sealed: Path) -> None:
        client = self.client

        # Create.
        flight = FlightInput(
            flight_number="TP 1335", departure_date=DEPARTURE, cabin_class=CabinClassInput.CABIN_CLASS_ECONOMY
        )
        key = uuid4()
        first, etag = self.create(date(2027, 5, 15), [flight], key)
        assert self.create(date(2027, 5, 15), [flight], key) == (first, etag)
        second, _ = self.create(date(2027, 6, 15), [], uuid4())

        # Read.
        response = itinerary_view.sync_detailed(first, client=client)
        read = parsed(response, Itinerary)
        assert read.title == "A weekend in Lisbon"
        assert read.flights and read.flights[0].departure_date == DEPARTURE
        stop = read.days[0].stops[0]
        assert stop.category == "landmark"

        # Not modified.
        unchanged = itinerary_view.sync_detailed(first, client=client, if_none_match=response.headers["ETag"])
        assert unchanged.status_code == HTTPStatus.NOT_MODIFIED

        # Change, and lose against somebody who was faster.
        response = self.change(first, etag, ItineraryPatch(title="Spring in Lisbon"))
        assert parsed(response, Itinerary).title == "Spring in Lisbon"
        late = self.change(first, etag, ItineraryPatch(title="Autumn in Lisbon"))
        assert error_code(late, HTTPStatus.CONFLICT) == "itineraryModified"

        # One stop, by its path.
        response = stop_update.sync_detailed(
            first,
            read.days[0].id,
            stop.id,
            client=client,
            body=StopPatch(start_time="11:30"),
            if_match=response.headers["ETag"],
        )
        assert parsed(response, Itinerary).days[0].stops[0].start_time == "11:30"

        # Clear fields.
        response = self.change(first, response.headers["ETag"], ItineraryPatch(summary=None, origin=None))
        cleared = parsed(response, Itinerary)
        assert not cleared.summary and not cleared.origin

        # Pages.
        seen: list[UUID] = []
        cursor: str | Unset = UNSET
        while True:
            listed = itinerary_list.sync_detailed(client=client, cursor=cursor, limit=1, filter_=ListFilter.LIST_FILTER_OWNED)
            page = parsed(listed, ListedItineraryPage)
            seen += [itinerary.id for itinerary in page.data]
            if not page.next_cursor:
                break
            cursor = page.next_cursor
        assert sorted(seen) == sorted([first, second])

        # A sealed file.
        with sealed.open("rb") as payload:
            form = DocumentUploadBody(
                file=File(payload, sealed.name, "application/pdf"),
                name="Boarding pass",
                category=DocumentCategoryInput.DOCUMENT_CATEGORY_BOARDING_PASS,
            )
            uploaded = document_upload.sync_detailed(first, client=client, body=form)
        document = parsed(uploaded, UploadedDocument, HTTPStatus.CREATED)
        assert (document.name, document.size) == ("Boarding pass", sealed.stat().st_size)

        # Delete.
        for id in (first, second):
            current = itinerary_view.sync_detailed(id, client=client)
            deleted = itinerary_delete.sync_detailed(id, client=client, if_match=current.headers["ETag"])
            assert deleted.status_code == HTTPStatus.NO_CONTENT
        gone = itinerary_view.sync_detailed(first, client=client)
        assert error_code(gone, HTTPStatus.NOT_FOUND) == "notFound"


if __name__ == "__main__":
    address, token, sealed_file = sys.argv[1:]
    Story(AuthenticatedClient(base_url=address, token=token)).tell(Path(sealed_file))
