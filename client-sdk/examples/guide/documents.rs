use itinerary_sdk::age::x25519::Identity;
use itinerary_sdk::prelude::*;
use itinerary_sdk::types::*;
use itinerary_sdk::{FileSource, Seal, SealingError, Unseal, UploadDetails};

/// Seals a boarding pass and uploads it, lists the documents, opens one and deletes it.
pub async fn documents(client: &Client, trip: Uuid) -> Result<(), SealingError> {
    // Once for each traveller. Keep it safe: nothing else opens the documents.
    let identity = Identity::generate();
    let file = FileSource::from("BOARDING PASS"); // or FileSource::path("boarding-pass.pdf")
    let details = UploadDetails::named("boarding-pass.txt.age")
        .name("Boarding pass to Lisbon")
        .category(DocumentCategory::BoardingPass)
        .media_type("text/plain");
    let seal = Seal::recipient(identity.to_public());
    let uploaded = client.documents().seal_and_upload(trip, file, seal, details, |_| ()).await;
    let document = match uploaded {
        Err(error) if error.is(code::SUBSCRIPTION_REQUIRED) => {
            println!("Uploading needs the Pro subscription.");
            return Ok(());
        }
        uploaded => uploaded?,
    };

    let renamed = DocumentPatch::default().name("Boarding pass");
    client.documents().update(trip, &document.id, &document, renamed).send().await?;

    let mut opened = Vec::new();
    client.documents().download_and_open(trip, &document.id, Unseal::identity(identity), &mut opened, |_| ()).await?;
    println!("opened {} bytes", opened.len());

    // The list has the version that a deletion states. Each deletion returns the next version.
    let documents = client.documents().list(trip).send().await?;
    let mut version = IfMatch::from(&documents);
    for document in &documents.data {
        println!("deleting {} ({} bytes)", document.name, document.file.size);
        version = IfMatch::from(&client.documents().delete(trip, &document.id, version).send().await?);
    }
    Ok(())
}
