import fc from 'fast-check'

// The name of a property test holds its seed, and StrykerJS selects tests by name.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 })
