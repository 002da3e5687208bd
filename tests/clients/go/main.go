// The story, told by the client that openapi-generator makes for Go.
//
//	main ADDRESS TOKEN SEALED_FILE
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"sort"

	itinerary "itinerary_client"

	"golang.org/x/oauth2"
)

const departure = "2027-05-15T08:05:00+01:00"

type story struct {
	client *itinerary.APIClient
	ctx    context.Context
}

func check(ok bool, what string, seen ...interface{}) {
	if !ok {
		fmt.Fprintln(os.Stderr, append([]interface{}{"not so:", what}, seen...)...)
		os.Exit(1)
	}
}

func answered(err error, response *http.Response, status int) {
	check(err == nil, "no error", err)
	check(response.StatusCode == status, "the status", response.StatusCode)
}

// refused checks that an error has this code.
func refused(err error, code string) {
	failure, ok := err.(*itinerary.GenericOpenAPIError)
	check(ok, "an error of the API", err)
	body, ok := failure.Model().(itinerary.ErrorEnvelope)
	check(ok && string(body.Error.Code) == code, code, failure.Model())
}

func key() string {
	bytes := make([]byte, 16)
	_, err := rand.Read(bytes)
	check(err == nil, "random bytes")
	bytes[6], bytes[8] = bytes[6]&0x0f|0x40, bytes[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", bytes[:4], bytes[4:6], bytes[6:8], bytes[8:10], bytes[10:])
}

// create makes an itinerary. The key makes a retry safe.
func (s story) create(start string, flights []itinerary.FlightInput, key string) (string, string) {
	castle := *itinerary.NewStopInput("Castelo de São Jorge")
	castle.SetCategory(itinerary.STOP_CATEGORY_LANDMARK)
	castle.SetStartTime("10:00")
	day := *itinerary.NewDayInput()
	day.SetStops([]itinerary.StopInput{castle})
	origin := *itinerary.NewPlaceInput()
	origin.SetName("Bath")
	trip := *itinerary.NewItineraryCreate(*itinerary.NewDestinationInput(*itinerary.NewCoordinateInput(38.72, -9.14), "Lisbon"))
	trip.SetTitle("A weekend in Lisbon")
	trip.SetSummary("Tiles and trams")
	trip.SetOrigin(origin)
	trip.SetStartDate(start)
	trip.SetDays([]itinerary.DayInput{day, *itinerary.NewDayInput()})
	trip.SetFlights(flights)
	created, response, err := s.client.ItinerariesAPI.ItineraryCreate(s.ctx).ItineraryCreate(trip).IdempotencyKey(key).Execute()
	answered(err, response, http.StatusCreated)
	return created.Id, response.Header.Get("ETag")
}

func (s story) change(id string, etag string, patch itinerary.ItineraryPatch) (*itinerary.Itinerary, *http.Response, error) {
	return s.client.ItinerariesAPI.ItineraryUpdate(s.ctx, id).IfMatch(etag).ItineraryPatch(patch).Execute()
}

func title(title string) itinerary.ItineraryPatch {
	patch := *itinerary.NewItineraryPatch()
	patch.SetTitle(title)
	return patch
}

func (s story) tell(sealed string) {
	api := s.client.ItinerariesAPI

	// Create.
	flight := *itinerary.NewFlightInput()
	flight.SetFlightNumber("TP 1335")
	flight.SetDepartureDate(departure)
	flight.SetCabinClass(itinerary.CABIN_CLASS_ECONOMY)
	flights := []itinerary.FlightInput{flight}
	once := key()
	first, etag := s.create("2027-05-15", flights, once)
	again, _ := s.create("2027-05-15", flights, once)
	check(again == first, "a retry creates nothing", first, again)
	second, _ := s.create("2027-06-15", []itinerary.FlightInput{}, key())

	// Read.
	read, response, err := api.ItineraryView(s.ctx, first).Execute()
	answered(err, response, http.StatusOK)
	check(read.Title == "A weekend in Lisbon", "the title", read.Title)
	check(read.Flights[0].GetDepartureDate() == departure, "the departure", read.Flights[0])
	day := read.Days[0]
	stop := day.Stops[0]
	check(stop.GetCategory() == "landmark", "the category", stop)

	// Not modified: the client makes an error of every status that is not a success.
	_, response, err = api.ItineraryView(s.ctx, first).IfNoneMatch(response.Header.Get("ETag")).Execute()
	check(err != nil && response.StatusCode == http.StatusNotModified, "not modified", err)

	// Change, and lose against somebody who was faster.
	changed, response, err := s.change(first, etag, title("Spring in Lisbon"))
	answered(err, response, http.StatusOK)
	check(changed.Title == "Spring in Lisbon", "the new title", changed.Title)
	current := response.Header.Get("ETag")
	_, _, err = s.change(first, etag, title("Autumn in Lisbon"))
	refused(err, "itineraryModified")

	// One stop, by its path.
	later := *itinerary.NewStopPatch()
	later.SetStartTime("11:30")
	moved, response, err := s.client.DaysAPI.StopUpdate(s.ctx, first, day.Id, stop.Id).IfMatch(current).StopPatch(later).Execute()
	answered(err, response, http.StatusOK)
	check(moved.Days[0].Stops[0].GetStartTime() == "11:30", "the new time", moved.Days[0].Stops[0])

	// Clear fields.
	clearing := *itinerary.NewItineraryPatch()
	clearing.SetSummaryNil()
	clearing.SetOriginNil()
	cleared, response, err := s.change(first, response.Header.Get("ETag"), clearing)
	answered(err, response, http.StatusOK)
	check(!cleared.HasSummary() && !cleared.HasOrigin(), "cleared", cleared)

	// Pages.
	seen := []string{}
	for cursor := ""; ; {
		request := api.ItineraryList(s.ctx).Limit(1).Filter(itinerary.LIST_FILTER_OWNED)
		if cursor != "" {
			request = request.Cursor(cursor)
		}
		page, response, err := request.Execute()
		answered(err, response, http.StatusOK)
		for _, listed := range page.Data {
			seen = append(seen, listed.Id)
		}
		if cursor = page.GetNextCursor(); cursor == "" {
			break
		}
	}
	expected := []string{first, second}
	sort.Strings(seen)
	sort.Strings(expected)
	check(fmt.Sprint(seen) == fmt.Sprint(expected), "the pages", seen)

	// A sealed file.
	file, err := os.Open(sealed)
	check(err == nil, "the sealed file", err)
	defer file.Close()
	information, err := file.Stat()
	check(err == nil, "its size", err)
	uploaded, response, err := s.client.DocumentsAPI.DocumentUpload(s.ctx, first).File(file).
		Name("Boarding pass").Category(itinerary.DOCUMENT_CATEGORY_BOARDING_PASS).Execute()
	answered(err, response, http.StatusCreated)
	check(uploaded.Name == "Boarding pass" && int64(uploaded.Size) == information.Size(), "the document", uploaded)

	// Delete.
	for _, id := range expected {
		_, response, err := api.ItineraryView(s.ctx, id).Execute()
		answered(err, response, http.StatusOK)
		response, err = api.ItineraryDelete(s.ctx, id).IfMatch(response.Header.Get("ETag")).Execute()
		answered(err, response, http.StatusNoContent)
	}
	_, _, err = api.ItineraryView(s.ctx, first).Execute()
	refused(err, "notFound")
}

func main() {
	configuration := itinerary.NewConfiguration()
	configuration.Servers = itinerary.ServerConfigurations{{URL: os.Args[1]}}
	tokens := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: os.Args[2]})
	ctx := context.WithValue(context.Background(), itinerary.ContextOAuth2, tokens)
	story{client: itinerary.NewAPIClient(configuration), ctx: ctx}.tell(os.Args[3])
}
