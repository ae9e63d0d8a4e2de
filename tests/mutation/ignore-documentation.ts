import { declareValuePlugin, type Ignorer, PluginKind } from '@stryker-mutator/api/plugin'

/** Leaves out what `.meta()` and `.describe()` of a schema say: it goes into the API's document. */
const documentation: Ignorer = {
  shouldIgnore(path) {
    const { parent } = path
    return path.listKey === 'arguments' &&
      parent?.type === 'CallExpression' &&
      parent.callee.type === 'MemberExpression' &&
      parent.callee.property.type === 'Identifier' &&
      ['meta', 'describe'].includes(parent.callee.property.name)
      ? 'documentation of a schema'
      : undefined
  },
}

export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'documentation', documentation),
]
