<?php

/**
 * The story, told by the client that openapi-generator makes for PHP.
 *
 *     story.php ADDRESS TOKEN SEALED_FILE
 *
 * The generated classes are in generated/lib, the libraries in PHP's include path.
 */

declare(strict_types=1);

use OpenAPI\Client\Api\DaysApi;
use OpenAPI\Client\Api\DocumentsApi;
use OpenAPI\Client\Api\ItinerariesApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\CabinClassInput;
use OpenAPI\Client\Model\CoordinateInput;
use OpenAPI\Client\Model\DayInput;
use OpenAPI\Client\Model\DestinationInput;
use OpenAPI\Client\Model\DocumentCategoryInput;
use OpenAPI\Client\Model\FlightInput;
use OpenAPI\Client\Model\ItineraryCreate;
use OpenAPI\Client\Model\ItineraryPatch;
use OpenAPI\Client\Model\ListFilter;
use OpenAPI\Client\Model\PlaceInput;
use OpenAPI\Client\Model\StopCategoryInput;
use OpenAPI\Client\Model\StopInput;
use OpenAPI\Client\Model\StopPatch;

const DEPARTURE = '2027-05-15T08:05:00+01:00';

// Every warning is a failure.
set_error_handler(static function (int $level, string $message, string $file, int $line): never {
    throw new ErrorException($message, 0, $level, $file, $line);
});
require_once 'GuzzleHttp/autoload.php';
spl_autoload_register(static function (string $class): void {
    $path = __DIR__ . '/generated/lib' . str_replace(['OpenAPI\\Client', '\\'], ['', '/'], $class) . '.php';
    if (str_starts_with($class, 'OpenAPI\\Client\\')) {
        require_once $path;
    }
});

function check(bool $ok, string $what, mixed $seen = null): void
{
    if (!$ok) {
        throw new RuntimeException("not so: $what: " . var_export($seen, true));
    }
}

/** Checks that a call fails with this status and code; 304 has no body. */
function refused(callable $call, int $status, ?string $code): void
{
    try {
        $call();
    } catch (ApiException $error) {
        $body = json_decode((string) $error->getResponseBody(), true);
        check($error->getCode() === $status && ($body['error']['code'] ?? null) === $code, "$status $code", $body);
        return;
    }
    check(false, "an error $status");
}

function key_for_a_change(): string
{
    $bytes = random_bytes(16);
    $bytes[6] = chr(ord($bytes[6]) & 0x0F | 0x40);
    $bytes[8] = chr(ord($bytes[8]) & 0x3F | 0x80);
    return vsprintf('%s%s-%s-%s-%s-%s%s%s', str_split(bin2hex($bytes), 4));
}

final class Story
{
    private ItinerariesApi $itineraries;
    private DaysApi $days;
    private DocumentsApi $documents;

    public function __construct(string $address, string $token)
    {
        $configuration = (new Configuration())->setHost($address)->setAccessToken($token);
        $this->itineraries = new ItinerariesApi(null, $configuration);
        $this->days = new DaysApi(null, $configuration);
        $this->documents = new DocumentsApi(null, $configuration);
    }

    /**
     * Creates an itinerary. The key makes a retry safe.
     *
     * @return array{string, string} its id and its ETag
     */
    private function create(string $start, array $flights, string $key): array
    {
        $castle = new StopInput(['name' => 'Castelo de São Jorge']);
        $castle->setCategory(StopCategoryInput::STOP_CATEGORY_LANDMARK)->setStartTime('10:00');
        $lisbon = new DestinationInput(['name' => 'Lisbon']);
        $lisbon->setCoordinate(new CoordinateInput(['latitude' => 38.72, 'longitude' => -9.14]));
        $body = (new ItineraryCreate())
            ->setTitle('東京, then Lisbon')
            ->setSummary('Tiles and trams')
            ->setOrigin((new PlaceInput())->setName('Évora')->setCountryCode('PT'))
            ->setDestination($lisbon)
            ->setStartDate(new DateTime($start))
            ->setDays([(new DayInput())->setStops([$castle]), new DayInput()])
            ->setFlights($flights);
        [$created, $status, $headers] = $this->itineraries->itineraryCreateWithHttpInfo($body, null, null, $key);
        check($status === 201, 'created', $status);
        return [$created->getId(), $headers['etag'][0]];
    }

    private function change(string $id, string $etag, ItineraryPatch $patch): array
    {
        return $this->itineraries->itineraryUpdateWithHttpInfo($id, $etag, $patch);
    }

    public function tell(string $sealed): void
    {
        // Create.
        $flight = (new FlightInput())
            ->setFlightNumber('TP 1335')
            ->setDepartureDate(DEPARTURE)
            ->setCabinClass(CabinClassInput::CABIN_CLASS_ECONOMY);
        $key = key_for_a_change();
        [$first, $etag] = $this->create('2027-05-15', [$flight], $key);
        check($this->create('2027-05-15', [$flight], $key) === [$first, $etag], 'a retry creates nothing');
        [$second] = $this->create('2027-06-15', [], key_for_a_change());

        // Read.
        [$read, , $headers] = $this->itineraries->itineraryViewWithHttpInfo($first);
        check($read->getTitle() === '東京, then Lisbon', 'the title', $read->getTitle());
        check($read->getOrigin()->getName() === 'Évora', 'the origin', $read->getOrigin());
        check($read->getStartDate()->format('Y-m-d') === '2027-05-15', 'the start', $read->getStartDate());
        check($read->getFlights()[0]->getDepartureDate() === DEPARTURE, 'the departure', $read->getFlights());
        $day = $read->getDays()[0];
        $stop = $day->getStops()[0];
        check($stop->getCategory() === 'landmark', 'the category', $stop);

        // Not modified: the client throws for every status that is not a success.
        refused(fn () => $this->itineraries->itineraryView($first, $headers['etag'][0]), 304, null);

        // Change, and lose against somebody who was faster.
        [$changed, , $headers] = $this->change($first, $etag, (new ItineraryPatch())->setTitle('Spring in Lisbon'));
        check($changed->getTitle() === 'Spring in Lisbon', 'the new title', $changed->getTitle());
        $late = (new ItineraryPatch())->setTitle('Autumn in Lisbon');
        refused(fn () => $this->change($first, $etag, $late), 409, 'itineraryModified');

        // One stop, by its path.
        $later = (new StopPatch())->setStartTime('11:30');
        [$moved, , $headers] =
            $this->days->stopUpdateWithHttpInfo($first, $day->getId(), $stop->getId(), $headers['etag'][0], $later);
        check($moved->getDays()[0]->getStops()[0]->getStartTime() === '11:30', 'the new time', $moved->getDays());

        // Clear fields.
        $clearing = (new ItineraryPatch())->setSummary(null)->setOrigin(null);
        [$cleared] = $this->change($first, $headers['etag'][0], $clearing);
        check($cleared->getSummary() === null && $cleared->getOrigin() === null, 'cleared', $cleared);

        // Pages.
        $seen = [];
        $cursor = null;
        do {
            $page = $this->itineraries->itineraryList($cursor, ListFilter::LIST_FILTER_OWNED, 1);
            foreach ($page->getData() as $listed) {
                $seen[] = $listed->getId();
            }
            $cursor = $page->getNextCursor();
        } while ($cursor !== null);
        $expected = [$first, $second];
        sort($seen);
        sort($expected);
        check($seen === $expected, 'the pages', $seen);

        // A sealed file.
        $category = DocumentCategoryInput::DOCUMENT_CATEGORY_BOARDING_PASS;
        $uploaded = $this->documents->documentUpload(
            $first,
            new SplFileObject($sealed),
            category: $category,
            name: 'Boarding pass',
        );
        check($uploaded->getName() === 'Boarding pass', 'the document', $uploaded);
        check($uploaded->getSize() === filesize($sealed), 'its size', $uploaded->getSize());

        // Delete.
        foreach ([$first, $second] as $id) {
            [, , $headers] = $this->itineraries->itineraryViewWithHttpInfo($id);
            [, $status] = $this->itineraries->itineraryDeleteWithHttpInfo($id, $headers['etag'][0]);
            check($status === 204, 'deleted', $status);
        }
        refused(fn () => $this->itineraries->itineraryView($first), 404, 'notFound');
    }
}

[, $address, $token, $sealed] = $argv;
(new Story($address, $token))->tell($sealed);
