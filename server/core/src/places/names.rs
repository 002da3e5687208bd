//! Names as words that can be compared across languages and spellings.

use super::similarity;

/// Words without a meaning of their own.
const ARTICLES: &[&str] = &[
    "a", "al", "am", "an", "and", "at", "d", "da", "das", "de", "degli", "dei", "del", "della", "delle", "dello",
    "den", "der", "des", "di", "die", "do", "dos", "du", "e", "el", "et", "i", "il", "im", "in", "l", "la", "las",
    "le", "les", "lo", "los", "o", "of", "on", "s", "st", "the", "to", "und", "van", "von", "y", "zu", "zum", "zur",
];

/// Words for kinds of places, a line each, by the English word: names in different languages share them.
const KINDS: &[(&str, &[&str])] = &[
    ("abbey", &["abbey", "abadia", "abbaye", "abbazia", "abtei"]),
    ("airport", &["airport", "aeroport", "aeroporto", "aeropuerto", "flughafen", "luchthaven"]),
    ("aquarium", &["aquarium", "acquario", "acuario", "oceanario"]),
    ("art", &["art", "arts", "arte", "kunst"]),
    ("avenue", &["avenue", "avenida", "avinguda", "av"]),
    ("basilica", &["basilica", "basilique"]),
    ("beach", &["beach", "playa", "praia", "plage", "spiaggia", "strand", "platja"]),
    ("botanical", &["botanical", "botanic", "botanico", "botanique", "orto"]),
    ("bridge", &["bridge", "ponte", "puente", "pont", "brucke", "most", "bro", "bashi", "hashi"]),
    ("cafe", &["cafe", "caffe", "kaffeehaus"]),
    ("castle", &["castle", "castelo", "castello", "castillo", "chateau", "schloss", "burg", "castell"]),
    ("cathedral", &["cathedral", "catedral", "cattedrale", "cathedrale", "dom", "duomo", "se"]),
    ("central", &["central", "centrale", "centraal", "hauptbahnhof"]),
    ("chapel", &["chapel", "capela", "cappella", "capilla", "chapelle"]),
    ("church", &["church", "igreja", "iglesia", "chiesa", "eglise", "kirche", "kerk", "crkva"]),
    ("convent", &["convent", "convento", "couvent"]),
    ("district", &["district", "quarter", "neighbourhood", "neighborhood", "area", "barrio", "bairro", "quartier"]),
    ("fountain", &["fountain", "fontana", "fuente", "fonte", "fontaine", "brunnen"]),
    ("gallery", &["gallery", "galleria", "galeria", "galerie"]),
    ("garden", &["garden", "gardens", "jardin", "jardins", "jardim", "giardino", "giardini", "garten"]),
    ("hall", &["hall", "halle", "ayuntamiento", "rathaus"]),
    ("hill", &["hill", "colina", "colle", "cerro"]),
    ("house", &["house", "casa", "haus", "maison", "huis"]),
    ("island", &["island", "isla", "ilha", "isola", "ile", "insel"]),
    ("market", &["market", "mercado", "mercato", "marche", "markt", "mercat", "bazaar", "souk", "ichiba"]),
    ("modern", &["modern", "moderno", "moderna", "moderne"]),
    ("monastery", &["monastery", "mosteiro", "monasterio", "monastero", "monastere", "kloster"]),
    ("monument", &["monument", "monumento", "memorial"]),
    ("mosque", &["mosque", "mezquita", "cami", "camii", "masjid"]),
    ("mount", &["mount", "mt", "monte", "mont", "mountain"]),
    ("museum", &["museum", "museo", "museu", "musee", "musei", "museums", "museus", "muzeum", "museos"]),
    ("national", &["national", "nacional", "nazionale", "nationale"]),
    ("opera", &["opera"]),
    ("palace", &["palace", "palacio", "palazzo", "palais", "palast", "palau"]),
    ("park", &["park", "parque", "parc", "parco"]),
    ("port", &["port", "porto", "puerto", "harbour", "harbor", "hafen"]),
    ("restaurant", &["restaurant", "restaurante", "ristorante"]),
    ("royal", &["royal", "real", "reale", "royale"]),
    ("ruins", &["ruins", "ruinas", "rovine"]),
    ("saint", &["saint", "sao", "santa", "santo", "san", "sankt", "sainte", "sint", "sant"]),
    ("science", &["science", "ciencia", "scienza", "sciences"]),
    ("shrine", &["shrine", "jinja", "taisha", "jingu"]),
    ("square", &["square", "praca", "plaza", "piazza", "place", "platz", "plein", "placa", "largo", "trg", "zocalo"]),
    ("station", &["station", "estacao", "estacion", "stazione", "gare", "bahnhof", "eki", "estacio"]),
    ("street", &["street", "rua", "calle", "via", "rue", "strasse", "straat", "carrer", "dori"]),
    ("synagogue", &["synagogue", "sinagoga"]),
    ("temple", &["temple", "templo", "tempio", "wat", "tera", "dera", "ji"]),
    ("theatre", &["theatre", "theater", "teatro", "teatre"]),
    ("tower", &["tower", "torre", "tour", "turm", "toren"]),
    ("viewpoint", &["viewpoint", "miradouro", "mirador", "belvedere", "lookout", "viewing"]),
    ("world", &["world"]),
    ("zoo", &["zoo", "zoologico", "zoological"]),
];

/// The weight of a word for a kind of place, where a proper name has 1.
const KIND_WEIGHT: f64 = 0.35;
/// The weight of words such as `district`, which distinguish little.
const DISTRICT_WEIGHT: f64 = 0.1;

/// The maximum number of forms that a name is compared in, and of words that it is looked up by.
const FORMS: usize = 6;
const KEYS: usize = 6;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct NameWord {
    pub(super) text: String,
    pub(super) weight: f64,
}

/// A name to find, in the forms that it may be written in.
#[derive(Debug)]
pub(super) struct SearchedName {
    forms: Vec<Vec<NameWord>>,
    destination: Vec<NameWord>,
}

impl SearchedName {
    /// A stop's name: as a whole, and the parts that brackets and dashes divide it into. The destination's name is left
    /// out of each.
    pub(super) fn sought(name: &str, destination: &str) -> Self {
        let destination = words(destination);
        let without = |form: &str| {
            let all = words(form);
            let rest: Vec<_> =
                all.iter().filter(|word| destination.iter().all(|other| other.text != word.text)).cloned().collect();
            // Without a word of full weight the rest would not say which place is meant.
            if rest.iter().any(|word| (word.weight - 1.0).abs() < f64::EPSILON) { rest } else { all }
        };
        let mut forms = vec![words(name)];
        for form in parts(name).map(without) {
            if !form.is_empty() && !forms.contains(&form) && forms.len() < FORMS {
                forms.push(form);
            }
        }
        Self { forms, destination }
    }

    /// Whether a town with these names is the destination: one of its names is the destination's name or part of it.
    pub(super) fn is_destination(&self, names: &[Vec<NameWord>]) -> bool {
        let is_in_destination = |word: &NameWord| self.destination.iter().any(|other| other.text == word.text);
        self.forms[0] == self.destination || names.iter().any(|name| name.iter().all(is_in_destination))
    }

    /// The similarity to the most similar of the names, from 0 to 1.
    pub(super) fn similarity_to_any(&self, names: &[Vec<NameWord>]) -> f64 {
        let pairs = self.forms.iter().flat_map(|form| names.iter().map(move |name| (form, name)));
        pairs.map(|(form, name)| similarity::of(form, name)).fold(0.0, f64::max)
    }
}

/// The name itself, and those of its parts that are long enough to be a name.
fn parts(name: &str) -> impl Iterator<Item = &str> {
    const LEAST: usize = 4;
    let pieces = name.split(['(', ')', '[', ']', '–', '—', '/', ',', ';', '|', ':']).flat_map(|part| part.split(" - "));
    std::iter::once(name).chain(pieces.map(str::trim).filter(|part| part.len() >= LEAST))
}

/// The words of a name without accents, case and articles. Words for kinds of places are translated into English.
pub(super) fn words(name: &str) -> Vec<NameWord> {
    let plain = deunicode::deunicode(name).to_lowercase().replace(['\'', '`'], " ");
    let all = || plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let mut words: Vec<_> = all().filter(|word| !ARTICLES.contains(word)).map(word).collect();
    if words.is_empty() {
        words = all().map(word).collect();
    }
    // A name that consists of such words alone, such as National Museum, is still a name.
    if words.iter().all(|word| word.weight < 1.0) {
        for word in &mut words {
            word.weight = 1.0;
        }
    }
    words
}

fn word(text: &str) -> NameWord {
    let kind = KINDS.iter().find(|(_, words)| words.contains(&text)).map(|(kind, _)| *kind);
    let weight = match kind {
        None => 1.0,
        Some("district") => DISTRICT_WEIGHT,
        Some(_) => KIND_WEIGHT,
    };
    NameWord { text: kind.unwrap_or(text).to_owned(), weight }
}

/// Words are looked up by this many letters: enough to tell words apart, few enough for most misspellings.
const KEY: usize = 4;

/// The sorted keys under which places of this name are indexed: those of its most distinctive words.
pub fn keys(name: &str) -> Vec<String> {
    let mut keys: Vec<_> = keys_of(&words(name)).take(KEYS).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

pub(super) fn keys_of(words: &[NameWord]) -> impl Iterator<Item = String> {
    let telling = words.iter().filter(|word| (word.weight - 1.0).abs() < f64::EPSILON);
    telling.map(|word| word.text.chars().take(KEY).collect())
}
