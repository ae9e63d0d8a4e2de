// The servers and tests are checked without React. use-intl names one of its types, and React's own
// declarations would bring empty stand-ins for the types of the DOM.
export type ReactNode = unknown
