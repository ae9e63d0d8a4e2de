import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { groups } from './groups.ts'
import { ShortFirst } from './short-first.ts'

const root = join(import.meta.dirname, '../..')
const group = groups[process.env.ATRIUM_MUTATION_GROUP ?? '']
if (!group) throw new Error('ATRIUM_MUTATION_GROUP must name a group of tests/mutation/groups.ts')

/** The tests of one group, for StrykerJS alone. */
export default defineConfig({
  root,
  // The packages in node_modules lead out of the copy that StrykerJS mutates.
  resolve: {
    alias: [
      { find: /^@atrium\/(core|bff)\/(.+)$/, replacement: join(root, 'packages/$1/src/$2.ts') },
      { find: /^@atrium\/api\/(.+)$/, replacement: join(root, 'apps/api/src/$1.ts') },
    ],
  },
  test: {
    include: [...group.tests],
    // As the projects `unit` and `integration` of the root have it.
    globalSetup: group.database ? ['packages/testing/src/postgres/cluster.ts'] : [],
    setupFiles: [
      'tests/mutation/fixed-seed.ts',
      ...(group.database ? [] : ['packages/ui/test/messages.setup.ts']),
    ],
    sequence: { sequencer: ShortFirst },
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
