import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describeError, errorCodes } from '@atrium/core/errors'
import { Hono } from 'hono'
import { html } from 'hono/html'
import type { AppEnv } from './facts.ts'

const assets = { 'swagger-ui.css': 'text/css', 'swagger-ui-bundle.js': 'text/javascript', 'favicon-32x32.png': 'image/png' } as const

/** `/docs`: the API reference, from our own address only; `/docs/errors`: every error code, where the `type` of a problem points. */
export function docsPages(): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  app.use(async (c, next) => {
    await next()
    c.header(
      'content-security-policy',
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'",
    )
  })
  app.get('/', (c) =>
    c.html(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Atrium platform API</title>
    <link rel="icon" href="/docs/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>`),
  )
  app.get('/start.js', (c) =>
    c.body("SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, persistAuthorization: false })", 200, {
      'content-type': 'text/javascript',
    }),
  )
  for (const [name, type] of Object.entries(assets)) {
    app.get(`/${name}`, async (c) =>
      c.body(new Uint8Array(await readFile(join(folder, name))), 200, { 'content-type': type, 'cache-control': 'max-age=86400' }),
    )
  }
  app.get('/errors', (c) =>
    c.html(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Error codes of the Atrium platform API</title>
    <style>
      :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
      body { max-width: 48rem; margin: 2rem auto; padding: 0 1rem }
      td, th { text-align: left; padding: .4rem .8rem .4rem 0; vertical-align: top }
      tr:target { background: color-mix(in srgb, currentColor 12%, transparent) }
    </style>
  </head>
  <body>
    <h1>Error codes</h1>
    <p>Every refusal is an RFC 9457 problem whose <code>code</code> is one of these.</p>
    <table>
      <thead><tr><th>Code</th><th>Status</th><th>Meaning</th></tr></thead>
      <tbody>
        ${errorCodes.map((code) => html`<tr id="${code}"><td><code>${code}</code></td><td>${describeError(code).status}</td><td>${describeError(code).title}</td></tr>`)}
      </tbody>
    </table>
  </body>
</html>`),
  )
  return app
}
