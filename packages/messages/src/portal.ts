/// <reference types="vite/client" />

/** The messages that the customer portal can load, by path (`load-messages`). */
export const portalMessages = import.meta.glob('../messages/*/{ui,portal}/*.json', {
  import: 'default',
})
