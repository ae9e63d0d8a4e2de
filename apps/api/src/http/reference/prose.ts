import { html } from 'hono/html'

/** A description, with what stands in backticks as code. */
export const prose = (text: string) =>
  html`${text.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
