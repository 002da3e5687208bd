# frozen_string_literal: true

# The story, told by the client that openapi-generator makes for Ruby.
#
#     story.rb ADDRESS TOKEN SEALED_FILE

require 'json'
require 'securerandom'
require 'openapi_client'

DEPARTURE = '2027-05-15T08:05:00+01:00'

def check(fine, what, seen = nil)
  raise "not so: #{what}: #{seen.inspect}" unless fine
end

# Checks that a call fails with this status and code; 304 has no body.
def refused(status, code = nil)
  yield
rescue OpenapiClient::ApiError => e
  body = e.response_body.to_s.empty? ? nil : JSON.parse(e.response_body)
  check(e.code == status && body&.dig('error', 'code') == code, "#{status} #{code}", [e.code, body])
else
  check(false, "an error #{status}")
end

# All steps with one client.
class Story
  include OpenapiClient

  def initialize(address, token)
    scheme, host = address.split('://')
    configuration = Configuration.new do |config|
      config.scheme = scheme
      config.host = host
      # Without this, the client uses the address in the document.
      config.server_index = nil
      config.access_token = token
    end
    client = ApiClient.new(configuration)
    @itineraries = ItinerariesApi.new(client)
    @days = DaysApi.new(client)
    @documents = DocumentsApi.new(client)
  end

  # Creates an itinerary, and returns its id and its ETag. The key makes a retry safe.
  def create(start, flights, key)
    castle = StopInput.new(
      name: 'Castelo de São Jorge', category: StopCategoryInput::STOP_CATEGORY_LANDMARK, start_time: '10:00'
    )
    coordinate = CoordinateInput.new(latitude: 38.72, longitude: -9.14)
    trip = ItineraryCreate.new(
      title: '東京, then Lisbon',
      summary: 'Tiles and trams',
      origin: PlaceInput.new(name: 'Évora', country_code: 'PT'),
      destination: DestinationInput.new(name: 'Lisbon', coordinate: coordinate),
      start_date: start,
      days: [DayInput.new(stops: [castle]), DayInput.new],
      flights: flights
    )
    created, status, headers = @itineraries.itinerary_create_with_http_info(trip, idempotency_key: key)
    check(status == 201, 'created', status)
    [created.id, headers['ETag']]
  end

  def change(id, etag, patch)
    @itineraries.itinerary_update_with_http_info(id, etag, patch)
  end

  def read_and_compare(id)
    read, _, headers = @itineraries.itinerary_view_with_http_info(id)
    check(read.title == '東京, then Lisbon', 'the title', read.title)
    check(read.origin.name == 'Évora', 'the origin', read.origin)
    check(read.start_date == Date.new(2027, 5, 15), 'the start', read.start_date)
    check(read.flights[0].departure_date == DEPARTURE, 'the departure', read.flights)
    check(read.days[0].stops[0].category == 'landmark', 'the category', read.days)
    # Not modified: the client raises for every status that is not a success.
    refused(304) { @itineraries.itinerary_view(id, if_none_match: headers['ETag']) }
    read
  end

  # Changes title and stop, loses against somebody who was faster, and clears fields.
  def change_and_clear(id, etag, day)
    changed, _, headers = change(id, etag, ItineraryPatch.new(title: 'Spring in Lisbon'))
    check(changed.title == 'Spring in Lisbon', 'the new title', changed.title)
    refused(409, 'itineraryModified') { change(id, etag, ItineraryPatch.new(title: 'Autumn in Lisbon')) }

    later = StopPatch.new(start_time: '11:30')
    moved, _, headers =
      @days.stop_update_with_http_info(id, day.id, day.stops[0].id, headers['ETag'], later)
    check(moved.days[0].stops[0].start_time == '11:30', 'the new time', moved.days)

    cleared, = change(id, headers['ETag'], ItineraryPatch.new(summary: nil, origin: nil))
    check(cleared.summary.nil? && cleared.origin.nil?, 'cleared', cleared)
  end

  def list(cursor = nil)
    options = { limit: 1, filter: ListFilter::LIST_FILTER_OWNED }
    options[:cursor] = cursor if cursor
    page = @itineraries.itinerary_list(options)
    ids = page.data.map(&:id)
    page.next_cursor ? ids + list(page.next_cursor) : ids
  end

  def upload(id, sealed)
    category = DocumentCategoryInput::DOCUMENT_CATEGORY_BOARDING_PASS
    uploaded = File.open(sealed, 'rb') do |file|
      @documents.document_upload(id, file, name: 'Boarding pass', category: category)
    end
    check(uploaded.name == 'Boarding pass' && uploaded.size == File.size(sealed), 'the document', uploaded)
  end

  def delete(id)
    _, _, headers = @itineraries.itinerary_view_with_http_info(id)
    _, status, = @itineraries.itinerary_delete_with_http_info(id, headers['ETag'])
    check(status == 204, 'deleted', status)
    refused(404, 'notFound') { @itineraries.itinerary_view(id) }
  end

  def tell(sealed)
    flight = FlightInput.new(
      flight_number: 'TP 1335', departure_date: DEPARTURE, cabin_class: CabinClassInput::CABIN_CLASS_ECONOMY
    )
    key = SecureRandom.uuid
    first, etag = create(Date.new(2027, 5, 15), [flight], key)
    check(create(Date.new(2027, 5, 15), [flight], key) == [first, etag], 'a retry creates nothing')
    second, = create(Date.new(2027, 6, 15), [], SecureRandom.uuid)

    read = read_and_compare(first)
    change_and_clear(first, etag, read.days[0])
    seen = list
    check(seen.sort == [first, second].sort, 'the pages', seen)
    upload(first, sealed)
    [first, second].each { |id| delete(id) }
  end
end

address, token, sealed = ARGV
Story.new(address, token).tell(sealed)
