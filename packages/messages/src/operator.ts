/// <reference types="vite/client" />

/** The messages that the operator portal can load, by path (`provideMessages`). */
export const operatorMessages = import.meta.glob('./*/{ui,operator}/*.json', {
  import: 'default',
})
