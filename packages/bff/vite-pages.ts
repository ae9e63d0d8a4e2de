import { readFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { join } from 'node:path'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { createServer } from 'vite'
import type { DevPages } from './src/server.ts'
import { renderPage, wantsPage } from './src/static-files.ts'

/** What `vite` itself would put into the page, as files: the policy allows no inline script. */
const clients =
  '<script type="module" src="/@id/@vitejs/plugin-react/preamble"></script>' +
  '<script type="module" src="/@vite/client"></script>'

/**
 * Serves the pages of an app from its sources through Vite, with hot module replacement. The
 * headers are those of production, so a page that breaks the content security policy does so here.
 *
 * @param appDir folder of the app, with `index.html` and `vite.config.ts`
 */
export async function startVitePages(appDir: string): Promise<DevPages> {
  // Vite attaches its WebSocket to this server, which never listens; the app's server hands its
  // upgrades on. The app's server exists only after its pages.
  const upgrades = createHttpServer()
  const vite = await createServer({
    root: appDir,
    configFile: join(appDir, 'vite.config.ts'),
    // The default loader writes a file and removes it, which `node --watch` takes for a change.
    configLoader: 'native',
    appType: 'custom',
    logLevel: 'warn',
    server: { middlewareMode: true, ws: { server: upgrades }, cors: false },
  })
  return {
    files: {
      file: (c) => {
        if (wantsPage(c)) return Promise.resolve(undefined)
        const { incoming, outgoing } = c.env
        return new Promise((resolve, reject) => {
          outgoing.once('close', () => resolve(RESPONSE_ALREADY_SENT))
          vite.middlewares(incoming, outgoing, (error?: unknown) =>
            error ? reject(error) : resolve(undefined),
          )
        })
      },
      page: (c) => {
        const html = readFileSync(join(appDir, 'index.html'), 'utf8')
          .replace('<meta name="csp-nonce" content="" />', (meta) => `${meta}${nonceOfVite(c)}`)
          .replace('<script', (first) => clients + first)
        return renderPage(c, html)
      },
    },
    upgrade: (request, socket, head) => upgrades.emit('upgrade', request, socket, head),
    close: () => vite.close(),
  }
}

/** Where Vite's client looks for the nonce of the style sheets that it inserts. */
function nonceOfVite(c: Parameters<typeof renderPage>[0]): string {
  return `<meta property="csp-nonce" nonce="${c.get('nonce')}">`
}
