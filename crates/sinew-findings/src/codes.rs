//! Codes of errors.

/// Gives an error type its codes: `code()`, a stable id for programs, and `CODES`, the table of them that the documentation shows. An error
/// that only passes on another has that one's code.
///
/// ```
/// enum Inner { Cut }
/// enum Outer { Empty, Inner(Inner) }
///
/// sinew_findings::error_codes! { Inner {
///     Self::Cut => "inner.cut", "It was cut off";
/// } }
/// sinew_findings::error_codes! { Outer {
///     Self::Empty => "outer.empty", "There is nothing in it";
/// } passes on {
///     Self::Inner(error) => error;
/// } }
///
/// assert_eq!(Outer::Inner(Inner::Cut).code(), "inner.cut");
/// assert_eq!(Outer::CODES, [("outer.empty", "There is nothing in it")]);
/// # let _ = Outer::Empty;
/// ```
#[macro_export]
macro_rules! error_codes {
    (
        $type:ty { $($own:pat => $code:literal, $about:literal;)* }
        $(passes on { $($other:pat => $error:expr;)* })?
    ) => {
        impl $type {
            /// The codes of its own, each with what it means. They never change their meaning.
            pub const CODES: &[(&str, &str)] = &[$(($code, $about)),*];

            /// A stable id of what went wrong, for programs.
            pub fn code(&self) -> &'static str {
                match self {
                    $($own => $code,)*
                    $($($other => $error.code(),)*)?
                }
            }
        }
    };
}
