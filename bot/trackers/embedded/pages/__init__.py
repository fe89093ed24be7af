"""The pages that people see. They work without JavaScript, on a phone and in the dark."""
