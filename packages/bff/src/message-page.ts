import { html } from 'hono/html'
import type { AppContext } from './request.ts'

/** A page of this server's own, for what a person must be told where the app itself may not be served. */
export function messagePage(c: AppContext, status: 403 | 404 | 503, title: string, text: string): Response | Promise<Response> {
  const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <style nonce="${c.get('nonce')}">
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
      main { max-width: 32rem; margin: 20vh auto 0; padding: 0 1.5rem }
    </style>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${text}</p>
      <p><a href="/">Back to the start</a></p>
    </main>
  </body>
</html>`
  c.header('cache-control', 'no-store')
  return c.html(page, status)
}
