/// <reference types="vite/client" />

/** The messages that the operator portal can load, by path (`load-messages`). */
export const operatorMessages = import.meta.glob('../messages/*/{ui,operator}/*.json', {
  import: 'default',
})
