/// <reference types="vite/client" />

/** The messages that the customer portal can load, by path (`provideMessages`). */
export const portalMessages = import.meta.glob('./*/{ui,portal}/*.json', {
  import: 'default',
})
