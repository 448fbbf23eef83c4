//! The bytes of a tiny model, as `docs/monogame.md` explains them.
