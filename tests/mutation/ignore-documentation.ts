import type { Ignorer } from '@stryker-mutator/api/ignore'
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

/** What is read of Babel's `NodePath`, whose type StrykerJS leaves empty. */
interface SyntaxPath {
  /** The list of the parent that holds the node. */
  listKey?: string
  parent?: {
    type: string
    callee?: { type: string; property?: { type: string; name?: string } }
  }
}

/** Leaves out what `.meta()` and `.describe()` of a schema say: it goes into the API's document. */
const documentation: Ignorer = {
  shouldIgnore({ listKey, parent }: SyntaxPath) {
    const called = parent?.type === 'CallExpression' ? parent.callee?.property?.name : undefined
    return listKey === 'arguments' && (called === 'meta' || called === 'describe')
      ? 'documentation of a schema'
      : undefined
  },
}

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'documentation', documentation),
]
