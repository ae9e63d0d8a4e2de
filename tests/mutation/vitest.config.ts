import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { groups } from './groups.ts'

const root = join(import.meta.dirname, '../..')
const group = groups[process.env.ATRIUM_MUTATION_GROUP ?? '']
if (!group) throw new Error('ATRIUM_MUTATION_GROUP must name a group of tests/mutation/groups.ts')

/** The tests of one group, for StrykerJS alone. */
export default defineConfig({
  root,
  // The packages in node_modules lead out of the copy that StrykerJS mutates.
  resolve: {
    alias: [
      { find: /^@atrium\/db\/testing\/(.+)$/, replacement: join(root, 'packages/db/test/$1.ts') },
      {
        find: /^@atrium\/(bff|core|db|integrations|sandbox)\/(.+)$/,
        replacement: join(root, 'packages/$1/src/$2.ts'),
      },
      { find: /^@atrium\/api\/(.+)$/, replacement: join(root, 'apps/api/src/$1.ts') },
    ],
  },
  test: {
    include: [...group.tests],
    setupFiles: ['tests/mutation/fixed-seed.ts'],
    globalSetup: group.integration
      ? ['packages/db/test/cluster.ts', 'apps/api/test/built-api.ts']
      : [],
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
