//! The grammar of `EnvelopedData` (RFC 5652) and `AuthEnvelopedData` (RFC 5083), as far as it is checked.

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const OID: u8 = 0x06;
pub(crate) const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
/// Context-specific and primitive.
const PRIMITIVE_0: u8 = 0x80;
/// Context-specific and constructed.
const CONSTRUCTED_0: u8 = 0xA0;
const CONSTRUCTED_1: u8 = 0xA1;
const CONSTRUCTED_2: u8 = 0xA2;
const CONSTRUCTED_3: u8 = 0xA3;
const CONSTRUCTED_4: u8 = 0xA4;

/// How to read the contents of an element.
#[derive(Clone, Copy, Debug)]
pub(super) enum Holds {
    /// These elements, in this order.
    Fields(&'static [SequenceField]),
    /// One or more elements, each of which is one of these.
    Many(Choices),
    /// Any well-formed contents.
    Anything,
    /// A value that is buffered and checked as a whole.
    Value(Value),
    /// Bytes of the ciphertext, which are only counted.
    Ciphertext,
    /// The authentication tag, whose bytes are only counted.
    Mac,
    /// `EnvelopedData` or `AuthEnvelopedData`, depending on the content type.
    Envelope,
}

/// A value that is buffered and checked as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value {
    ContentType,
    Version,
    /// The content encryption algorithm with its parameters.
    Algorithm,
}

/// Tags, each with the contents of its element.
pub(super) type Choices = &'static [(u8, Holds)];

/// A field of a sequence.
#[derive(Debug)]
pub(super) struct SequenceField {
    pub(super) name: &'static str,
    pub(super) is_required: bool,
    pub(super) choices: Choices,
}

const fn required(name: &'static str, choices: Choices) -> SequenceField {
    SequenceField { name, is_required: true, choices }
}

const fn optional(name: &'static str, choices: Choices) -> SequenceField {
    SequenceField { name, is_required: false, choices }
}

/// The top level of the file.
pub(super) const FILE: Holds = Holds::Fields(&[required("contentInfo", &[(SEQUENCE, Holds::Fields(CONTENT_INFO))])]);

const CONTENT_INFO: &[SequenceField] = &[
    required("contentType", &[(OID, Holds::Value(Value::ContentType))]),
    required("content", &[(CONSTRUCTED_0, Holds::Envelope)]),
];

pub(super) const ENVELOPED_DATA: Holds =
    Holds::Fields(&[required("envelopedData", &[(SEQUENCE, Holds::Fields(ENVELOPED_DATA_FIELDS))])]);

pub(super) const AUTH_ENVELOPED_DATA: Holds =
    Holds::Fields(&[required("authEnvelopedData", &[(SEQUENCE, Holds::Fields(AUTH_ENVELOPED_DATA_FIELDS))])]);

const ENVELOPED_DATA_FIELDS: &[SequenceField] = &[
    VERSION,
    ORIGINATOR_INFO,
    RECIPIENT_INFOS,
    required("encryptedContentInfo", &[(SEQUENCE, Holds::Fields(ENCRYPTED_CONTENT_INFO))]),
    optional("unprotectedAttrs", &[(CONSTRUCTED_1, ATTRIBUTES)]),
];

const AUTH_ENVELOPED_DATA_FIELDS: &[SequenceField] = &[
    VERSION,
    ORIGINATOR_INFO,
    RECIPIENT_INFOS,
    required("authEncryptedContentInfo", &[(SEQUENCE, Holds::Fields(ENCRYPTED_CONTENT_INFO))]),
    optional("authAttrs", &[(CONSTRUCTED_1, ATTRIBUTES)]),
    required("mac", &[(OCTET_STRING, Holds::Mac)]),
    optional("unauthAttrs", &[(CONSTRUCTED_2, ATTRIBUTES)]),
];

const VERSION: SequenceField = required("version", &[(INTEGER, Holds::Value(Value::Version))]);
const ORIGINATOR_INFO: SequenceField = optional("originatorInfo", &[(CONSTRUCTED_0, Holds::Anything)]);
const RECIPIENT_INFOS: SequenceField = required("recipientInfos", &[(SET, Holds::Many(RECIPIENT))]);
const ATTRIBUTES: Holds = Holds::Many(&[(SEQUENCE, Holds::Anything)]);

const RECIPIENT: Choices = &[
    (SEQUENCE, Holds::Fields(KEY_TRANSPORT)),
    (CONSTRUCTED_1, Holds::Fields(KEY_AGREEMENT)),
    (CONSTRUCTED_2, Holds::Fields(KEY_ENCRYPTION)),
    (CONSTRUCTED_3, Holds::Fields(PASSWORD)),
    (CONSTRUCTED_4, Holds::Fields(OTHER)),
];

const KEY_TRANSPORT: &[SequenceField] = &[
    RECIPIENT_VERSION,
    // By issuer and serial number, or by subject key identifier.
    required("rid", &[(SEQUENCE, Holds::Anything), (PRIMITIVE_0, Holds::Anything)]),
    KEY_ENCRYPTION_ALGORITHM,
    ENCRYPTED_KEY,
];

const KEY_AGREEMENT: &[SequenceField] = &[
    RECIPIENT_VERSION,
    required("originator", &[(CONSTRUCTED_0, Holds::Anything)]),
    optional("ukm", &[(CONSTRUCTED_1, Holds::Anything)]),
    KEY_ENCRYPTION_ALGORITHM,
    required("recipientEncryptedKeys", &[(SEQUENCE, Holds::Many(&[(SEQUENCE, Holds::Anything)]))]),
];

const KEY_ENCRYPTION: &[SequenceField] =
    &[RECIPIENT_VERSION, required("kekid", &[(SEQUENCE, Holds::Anything)]), KEY_ENCRYPTION_ALGORITHM, ENCRYPTED_KEY];

const PASSWORD: &[SequenceField] = &[
    RECIPIENT_VERSION,
    optional("keyDerivationAlgorithm", &[(CONSTRUCTED_0, Holds::Anything)]),
    KEY_ENCRYPTION_ALGORITHM,
    ENCRYPTED_KEY,
];

/// The type determines the value, so any tag is allowed.
const OTHER: &[SequenceField] = &[required("oriType", &[(OID, Holds::Anything)]), required("oriValue", &[])];

const RECIPIENT_VERSION: SequenceField = required("version", &[(INTEGER, Holds::Anything)]);
const KEY_ENCRYPTION_ALGORITHM: SequenceField = required("keyEncryptionAlgorithm", &[(SEQUENCE, Holds::Anything)]);
const ENCRYPTED_KEY: SequenceField = required("encryptedKey", &[(OCTET_STRING, Holds::Anything)]);

const ENCRYPTED_CONTENT_INFO: &[SequenceField] = &[
    required("contentType", &[(OID, Holds::Anything)]),
    required("contentEncryptionAlgorithm", &[(SEQUENCE, Holds::Value(Value::Algorithm))]),
    required(
        "encryptedContent",
        &[
            (PRIMITIVE_0, Holds::Ciphertext),
            // In chunks.
            (CONSTRUCTED_0, Holds::Many(&[(OCTET_STRING, Holds::Ciphertext)])),
        ],
    ),
];
