//! Merge patches (RFC 7396) as types: a field is absent, null or a value.
//!
//! A resource and its patch are declared together by `resource!`, so that neither can lack a field.

use schemars::JsonSchema;
use schemars::r#gen::SchemaGenerator;
use schemars::schema::Schema;
use serde::de::{Error as _, IgnoredAny};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A patch's field that can be cleared: absent keeps, `null` clears, a value replaces or merges.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Patch<T> {
    /// Keep the current value.
    #[default]
    Absent,
    /// Clear the field: `null` was sent.
    Null,
    /// Replace the current value, or merge into it.
    Value(T),
}

impl<T> Patch<T> {
    /// Whether the field keeps its value.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Null, Self::Value))
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent | Self::Null => serializer.serialize_none(),
            Self::Value(value) => value.serialize(serializer),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Patch<T> {
    fn schema_name() -> String {
        Option::<T>::schema_name()
    }

    fn is_referenceable() -> bool {
        false
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Option::<T>::json_schema(generator)
    }
}

/// A patch's field that cannot be cleared: absent keeps, a value replaces or merges, `null` is rejected.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Change<T> {
    /// Keep the current value.
    #[default]
    Absent,
    /// Replace the current value, or merge into it.
    Value(T),
}

impl<T> Change<T> {
    /// Whether the field keeps its value.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Change<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Option::deserialize(deserializer)?;
        value.map(Self::Value).ok_or_else(|| D::Error::custom("is required and cannot be cleared"))
    }
}

impl<T: Serialize> Serialize for Change<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent => serializer.serialize_none(),
            Self::Value(value) => value.serialize(serializer),
        }
    }
}

impl<T: JsonSchema> JsonSchema for Change<T> {
    fn schema_name() -> String {
        T::schema_name()
    }

    fn is_referenceable() -> bool {
        T::is_referenceable()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// A read-only field: any value is accepted in a request and ignored, so that a resource can be sent back as it was
/// read.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ignored;

impl<'de> Deserialize<'de> for Ignored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

/// Reads `null` like an absent field.
pub(crate) fn null_is_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// Whether a value is what an absent field means.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A required field that is absent after a merge: its path in wire names, relative to the merged object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing(pub String);

impl Missing {
    /// Prefixes the path with the field that holds the object.
    #[must_use]
    pub fn within(self, name: &str) -> Self {
        Self(format!("{name}.{}", self.0))
    }
}

/// A type with a JSON merge patch (RFC 7396).
pub trait Merge: Sized {
    /// The type of its merge patch.
    type Patch;

    /// Applies the patch: absent keeps, `null` clears, an object merges, anything else replaces.
    fn merge(&mut self, patch: Self::Patch) -> Result<(), Missing>;

    /// Applies the patch to nothing. Fails if a required field is absent.
    fn from_patch(patch: Self::Patch) -> Result<Self, Missing>;

    /// Applies the patch to a field that may be absent, or be cleared.
    fn merge_optional(target: &mut Option<Self>, patch: Patch<Self::Patch>) -> Result<(), Missing> {
        match (patch, target) {
            (Patch::Absent, _) => Ok(()),
            (Patch::Null, target) => {
                *target = None;
                Ok(())
            }
            (Patch::Value(patch), Some(target)) => target.merge(patch),
            (Patch::Value(patch), target) => {
                *target = Some(Self::from_patch(patch)?);
                Ok(())
            }
        }
    }
}

/// Converts a Rust field name to its wire name: `check_in_date` to `checkInDate`.
pub fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |done, word| {
        let (head, tail) = word.split_at(word.len().min(1));
        done + &head.to_ascii_uppercase() + tail
    })
}

/// Declares a resource and its patch. Each field has a documentation comment and one of these kinds:
///
/// - `required name: T`: always there; a patch may change it, not clear it.
/// - `required_object name: T, TPatch`: the same, and an object merges into it.
/// - `optional name: T`: may be missing; null clears it.
/// - `object name: T, TPatch`: the same, and an object merges into it.
/// - `defaulted name: T`: missing is `T::default()`, and so is null.
/// - `sparse name: T`: the same, and the default is left out when it is written.
/// - `identity name: T`: made when it is missing; a patch may send it, and that changes nothing.
macro_rules! resource {
    ($(#[$meta:meta])* $name:ident, $patch:ident { $($fields:tt)* }) => {
        $crate::values::resource!(@fields [$(#[$meta])*] $name $patch {} {} {} $($fields)*);
    };

    (@fields $m:tt $n:ident $p:ident {$($s:tt)*} {$($q:tt)*} {$($k:tt)*}
     $(#[$doc:meta])* required $field:ident: $ty:ty; $($rest:tt)*) => {
        $crate::values::resource!(@fields $m $n $p
            { $($s)* $(#[$doc])* pub $field: $ty, }
            { $($q)* $(#[$doc])* #[serde(default, skip_serializing_if = "Change::is_absent")] pub $field: Change<$ty>, }
            { $($k)* required $field, } $($rest)*);
    };
    (@fields $m:tt $n:ident $p:ident {$($s:tt)*} {$($q:tt)*} {$($k:tt)*}
     $(#[$doc:meta])* required_object $field:ident: $ty:ty, $py:ty; $($rest:tt)*) => {
        $crate::values::resource!(@fields $m $n $p
            { $($s)* $(#[$doc])* pub $field: $ty, }
            { $($q)* $(#[$doc])* #[serde(default, skip_serializing_if = "Change::is_absent")] pub $field: Change<$py>, }
            { $($k)* required_object $field, } $($rest)*);
    };
    (@fields $m:tt $n:ident $p:ident {$($s:tt)*} {$($q:tt)*} {$($k:tt)*}
     $(#[$doc:meta])* optional $field:ident: $ty:ty; $($rest:tt)*) => {
        $crate::values::resource!(@fields $m $n $p
            { $($s)* $(#[$doc])* #[serde(default, skip_serializing_if = "Option::is_none")] pub $field: Option<$ty>, }
            { $($q)* $(#[$doc])* #[serde(default, skip_serializing_if = "Patch::is_absent")] pub $field: Patch<$ty>, }
            { $($k)* optional $field, } $($rest)*);
    };
    (@fields $m:tt $n:ident $p:ident {$($s:tt)*} {$($q:tt)*} {$($k:tt)*}
     $(#[$doc:meta])* object $field:ident: $ty:ty, $py:ty; $($rest:tt)*) => {
        $crate::values::resource!(@fields $m $n $p
            { $($s)* $(#[$doc])* #[serde(default, skip_serializing_if = "Option::is_none")] pub $field: Option<$ty>, }
            { $($q)* $(#[$doc])* #[serde(default, skip_serializing_if = "Patch::is_absent")] pub $field: Patch<$py>, }
            { $($k)* object $field, } $($rest)*);
    };
    (@fields $m:tt $n:ident $p:ident {$($s:tt)*} {$($q:tt)*} {$($k:tt)*}
     $(#[$doc:meta])* defaulted $field:ident: $ty:ty; $($rest:tt)*) => {
        $crate::values::resource!(@fields $m $n $p
            { $($s)* $(#[$doc])* #[serde(default, deserialize_with = "crate::values::null_is_default")] pub $field: $ty, }
            { $($q)* $(#[$doc])* #[serde(default, skip_serializing_if = "Patch::is_absent")] pub $field: Patch<$ty>, }
            { $($k)* defaulted $field, } $($rest)*);
    };
    (@fields $m:tt $n:ident $p:ident {$($s:tt)*} {$($q:tt)*} {$($k:tt)*}
     $(#[$doc:meta])* sparse $field:ident: $ty:ty; $($rest:tt)*) => {
        $crate::values::resource!(@fields $m $n $p
            { $($s)* $(#[$doc])* #[serde(
                default,
                deserialize_with = "crate::values::null_is_default",
                skip_serializing_if = "crate::values::is_default"
            )] pub $field: $ty, }
            { $($q)* $(#[$doc])* #[serde(default, skip_serializing_if = "Patch::is_absent")] pub $field: Patch<$ty>, }
            { $($k)* defaulted $field, } $($rest)*);
    };
    (@fields $m:tt $n:ident $p:ident {$($s:tt)*} {$($q:tt)*} {$($k:tt)*}
     $(#[$doc:meta])* identity $field:ident: $ty:ty; $($rest:tt)*) => {
        $crate::values::resource!(@fields $m $n $p
            { $($s)* $(#[$doc])* #[serde(default, skip_serializing_if = "Option::is_none")] pub $field: Option<$ty>, }
            { $($q)*
                /// Can be sent back unchanged; a different id is rejected.
                #[serde(default, skip_serializing_if = "Change::is_absent")] pub $field: Change<$ty>,
            }
            { $($k)* identity $field, } $($rest)*);
    };

    (@fields [$(#[$meta:meta])*] $name:ident $patch:ident {$($s:tt)*} {$($q:tt)*} {$($kind:ident $field:ident,)*}) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name { $($s)* }

        #[doc = concat!("A merge patch for `", stringify!($name), "`: absent keeps, null clears, a value replaces.")]
        #[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $patch { $($q)* }

        impl $crate::values::Merge for $name {
            type Patch = $patch;

            fn merge(&mut self, patch: $patch) -> Result<(), $crate::values::Missing> {
                let $patch { $($field),* } = patch;
                $($crate::values::resource!(@merge $kind self $field);)*
                Ok(())
            }

            fn from_patch(patch: $patch) -> Result<Self, $crate::values::Missing> {
                let $patch { $($field),* } = patch;
                Ok(Self { $($field: $crate::values::resource!(@make $kind $field)),* })
            }
        }
    };

    (@merge required $self:ident $field:ident) => {
        if let Change::Value(value) = $field { $self.$field = value; }
    };
    (@merge required_object $self:ident $field:ident) => {
        if let Change::Value(value) = $field {
            $self.$field.merge(value).map_err(|e| e.within(&$crate::values::camel_case(stringify!($field))))?;
        }
    };
    (@merge optional $self:ident $field:ident) => {
        match $field {
            Patch::Absent => {}
            Patch::Null => $self.$field = None,
            Patch::Value(value) => $self.$field = Some(value),
        }
    };
    (@merge object $self:ident $field:ident) => {
        $crate::values::Merge::merge_optional(&mut $self.$field, $field)
            .map_err(|e| e.within(&$crate::values::camel_case(stringify!($field))))?;
    };
    (@merge defaulted $self:ident $field:ident) => {
        match $field {
            Patch::Absent => {}
            Patch::Null => $self.$field = Default::default(),
            Patch::Value(value) => $self.$field = value,
        }
    };

    (@merge identity $self:ident $field:ident) => {
        // The caller has compared it with the id in the path.
        let _ = $field;
    };

    (@make required $field:ident) => {
        match $field {
            Change::Value(value) => value,
            Change::Absent => return Err($crate::values::Missing($crate::values::camel_case(stringify!($field)))),
        }
    };
    (@make required_object $field:ident) => {
        match $field {
            Change::Value(patch) => $crate::values::Merge::from_patch(patch)
                .map_err(|e| e.within(&$crate::values::camel_case(stringify!($field))))?,
            Change::Absent => return Err($crate::values::Missing($crate::values::camel_case(stringify!($field)))),
        }
    };
    (@make optional $field:ident) => {
        match $field { Patch::Value(value) => Some(value), Patch::Absent | Patch::Null => None }
    };
    (@make object $field:ident) => {
        match $field {
            Patch::Value(patch) => Some($crate::values::Merge::from_patch(patch)
                .map_err(|e| e.within(&$crate::values::camel_case(stringify!($field))))?),
            Patch::Absent | Patch::Null => None,
        }
    };
    (@make identity $field:ident) => {
        match $field { Change::Value(value) => Some(value), Change::Absent => None }
    };
    (@make defaulted $field:ident) => {
        match $field { Patch::Value(value) => value, Patch::Absent | Patch::Null => Default::default() }
    };
}
pub(crate) use resource;
