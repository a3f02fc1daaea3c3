//! The common half of tables of configurations: kinds of a thing, each with its name in files and
//! its parameters.

/// Declares an enum of configurations from a table: a row for each kind, with its description, its
/// parameters and its name in files.
///
/// Beside the enum there are its form in files (`written as`), with its name and description in
/// schemas; `ALL`, the names with their descriptions; `name`; and a macro (`matched by`) that does
/// the same with any kind's parameters: `each!(self, config => config.check())`. With `named by`,
/// there is a function that returns the kind of a name with default parameters. The caller has a
/// method `checked`, which refuses invalid parameters.
///
/// The caller needs the dependency `serde`, and a feature `schema` with `schemars`.
///
/// ```
/// # #[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
/// # #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
/// # pub struct Square { side: u32 }
/// # #[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
/// # #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
/// # pub struct Circle { radius: u32 }
/// netloom_units::variants! {
///     /// A shape.
///     #[derive(Debug, Clone, PartialEq)]
///     pub enum Shape, written as ShapeTable ("Shape", "A shape."),
///         matched by each_shape, named by named;
///     /// Four equal sides.
///     Square(Square) = "square";
///     /// All points at a distance.
///     Circle(Circle) = "circle" or "disc";
/// }
///
/// impl Shape {
///     fn checked(self) -> Result<Self, String> {
///         Ok(self)
///     }
///     fn size(&self) -> u32 {
///         each_shape!(self, shape => size_of_val(shape) as u32)
///     }
/// }
///
/// assert_eq!(Shape::named("disc").unwrap().name(), "circle");
/// assert_eq!(Shape::ALL[0], ("square", " Four equal sides."));
/// # assert_eq!(Shape::named("square").unwrap().size(), 4);
/// ```
#[macro_export]
macro_rules! variants {
    (
        $(#[$meta:meta])*
        pub enum $name:ident, written as $table:ident ($schema:literal, $about:literal),
            matched by $each:ident, named by $named:ident;
        $(
            $(#[doc = $doc:literal])*
            $variant:ident($config:ty) = $word:literal $(or $alias:literal)?;
        )*
    ) => {
        $crate::variants! {
            $(#[$meta])*
            pub enum $name, written as $table ($schema, $about), matched by $each;
            $($(#[doc = $doc])* $variant($config) = $word $(or $alias)?;)*
        }

        impl $name {
            /// Returns the kind called `name`, with default parameters.
            fn $named(name: &str) -> Option<Self> {
                match name {
                    $($word $(| $alias)? => Some(Self::$variant(<$config>::default())),)*
                    _ => None,
                }
            }
        }
    };
    (
        $(#[$meta:meta])*
        pub enum $name:ident, written as $table:ident ($schema:literal, $about:literal),
            matched by $each:ident;
        $(
            $(#[doc = $doc:literal])*
            $variant:ident($config:ty) = $word:literal $(or $alias:literal)?;
        )*
    ) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[doc = $doc])* $variant($config),)*
        }

        #[doc = $about]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = $schema))]
        enum $table {
            $($(#[doc = $doc])* #[serde(rename = $word $(, alias = $alias)?)] $variant($config),)*
        }

        impl $name {
            /// The names of all kinds, each with a description.
            pub const ALL: &[(&str, &str)] = &[$(($word, concat!($($doc),*))),*];

            /// Returns the name of the kind.
            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $word,)*
                }
            }
        }

        impl TryFrom<$table> for $name {
            type Error = String;
            fn try_from(table: $table) -> Result<Self, String> {
                match table {
                    $($table::$variant(config) => Self::$variant(config),)*
                }
                .checked()
            }
        }

        impl From<&$name> for $table {
            fn from(kind: &$name) -> Self {
                match kind {
                    $($name::$variant(config) => Self::$variant(config.clone()),)*
                }
            }
        }

        impl From<$name> for $table {
            fn from(kind: $name) -> Self {
                match kind {
                    $($name::$variant(config) => Self::$variant(config),)*
                }
            }
        }

        $crate::variants!(@each ($) $each $name $($variant)*);
    };
    (@each ($d:tt) $each:ident $name:ident $($variant:ident)*) => {
        /// Does the same with the parameters of any kind.
        macro_rules! $each {
            ($d kind:expr, $d config:pat => $d result:expr) => {
                match $d kind {
                    $($name::$variant($d config) => $d result,)*
                }
            };
        }
        #[allow(unused_imports)]
        use $each;
    };
}
