import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { compileMessages } from '@atrium/messages/compile-messages'
import react from '@vitejs/plugin-react'
import type { Plugin, UserConfig } from 'vite'

/**
 * What surrounds every page of somebody signed in, the pages that most visits begin with, and what
 * these and most other pages are made of. `index.html` names this chunk, so these pages load
 * nothing but their texts after it: one round trip less before they show.
 */
const frame = [
  /src\/main\.tsx$/,
  /src\/layout\/(portal-frame|operator-frame|authenticated-layout|route-failure|page-failure)/,
  /src\/tenants\/(tenant-frame|overview-page|tenants-page|tenant-page)\.tsx$/,
  /src\/members\/members-page\.tsx$/,
  /ui\/src\/(shell|app-provider|page-header|panel|status-badge|links|data-states|time|tones|format|problem|use-mutation)\.tsx?$/,
  // Tables with filters, and the details of a record.
  /ui\/src\/(responsive-table|filter-bar|paged-table|pager|debounced-input|search-params|lazy-on-input|confirm|done|copy|detail-list|limit-use|subscription-status-meta|suspension-labels)\.tsx?$/,
  /core\/src\/(platform\/(choices|own-value)|billing\/(plans|subscription-life))\.ts$/,
  /operator\/src\/(parts\/(choice-filter|when|problems|edit-dialog)|tenants\/(mutations|tenant-columns|provisioning-summary))/,
  /portal\/src\/members\/(member-status-meta|search|members\.module)\./,
  /@mantine\/core\/esm\/components\/(NativeSelect|TextInput|InputBase|Input|Checkbox|SimpleGrid|List|ColorSwatch|Tabs|Progress)\//,
]

/** What every page says: one request in the language of the page. */
const frameMessages = [/messages\/src\/[^/]+\/(ui\/(frame|labels)|\w+\/layout)\.json$/]

const messagesOfFrame = (id: string) => `messages-${/messages\/src\/([^/]+)\//.exec(id)?.[1] ?? ''}`

const isOneOf = (patterns: readonly RegExp[]) => (id: string) =>
  patterns.some((pattern) => pattern.test(id))

/**
 * Writes every script and style a second time, packed with Brotli at its best (`app.js.br`). That
 * takes a second for the largest, which a server cannot spend while a browser waits; the files are
 * a twelfth smaller than what it packs by itself.
 */
const packed: Plugin = {
  name: 'atrium:packed',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    const pack = promisify(brotliCompress)
    await Promise.all(
      Object.values(bundle).map(async (file) => {
        if (!/\.(js|css)$/.test(file.fileName)) return
        await writeFile(
          join(dir, `${file.fileName}.br`),
          await pack(file.type === 'chunk' ? file.code : file.source),
        )
      }),
    )
  },
}

/**
 * Fails the build when a Mantine component is in it without its styles, which
 * `src/mantine-styles.ts` lists. Every component with styles has a module of class names
 * (`Button.module.mjs`) and a sheet of the same name.
 */
export const allStylesImported: Plugin = {
  name: 'atrium:all-styles-imported',
  apply: 'build',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((file) =>
      file.type === 'chunk' ? file.moduleIds : [],
    )
    const imported = new Set([...this.getModuleIds()].map((id) => ofMantine(id, '.layer.css')))
    const missing = modules
      .map((id) => ofMantine(id, '.module.mjs'))
      .filter((name) => name !== undefined && !imported.has(name))
    if (missing.length > 0)
      this.error(`No styles are imported for these Mantine components: ${missing.join(', ')}`)
  },
}

const ofMantine = (id: string, ending: string) =>
  id.includes('/@mantine/core/') && id.endsWith(ending) ? basename(id, ending) : undefined

/**
 * The Vite configuration of a portal.
 *
 * Chunks: every route is loaded when it is opened. Left alone, the bundler makes a chunk for each
 * set of routes that share a module, about a hundred requests for the first page. The groups below
 * merge modules by when they are needed; a group takes what its modules import with it, unless a
 * group of a higher priority has it. What is loaded for a click, such as menus and dialogs, is not
 * in the frame, nor is zod. `e2e/first-load.test.ts` counts requests and bytes.
 */
export const appBuild: UserConfig = {
  plugins: [react(), compileMessages(), allStylesImported, packed],
  resolve: {
    alias: {
      tldts: fileURLToPath(import.meta.resolve('./src/public-suffix.ts')),
      // The build without the Buffer of Node.
      'csv-parse/sync': 'csv-parse/browser/esm/sync',
    },
  },
  build: {
    outDir: 'dist',
    target: 'esnext',
    // The content security policy allows data: URLs for images only, so assets stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: messagesOfFrame, test: isOneOf(frameMessages), priority: 6 },
            { name: 'frame', test: isOneOf(frame), priority: 5 },
            {
              name: 'dialogs',
              test: /ui\/src\/(side-drawer|confirm-dialog|secret-reveal|leave-dialog|unsaved-changes|zod-form|save-buttons)\.tsx?$/,
              priority: 3,
            },
            { name: 'icons', test: /@tabler/, minShareCount: 2, priority: 2 },
            { name: 'vendor', test: /node_modules/, minShareCount: 6, priority: 1 },
            { name: 'shared', test: (id) => !id.includes('node_modules'), minShareCount: 4 },
          ],
        },
      },
    },
  },
}
