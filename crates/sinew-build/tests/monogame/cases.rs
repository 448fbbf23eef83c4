//! What models are asked to hold, case by case.
