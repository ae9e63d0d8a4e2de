import { type Program, visitorKeys } from 'oxc-parser'

/**
 * While a transaction is open, nothing may take another connection: as many transactions as the
 * pool has connections would wait for each other until all of them fail. This finds what could, in
 * each function that runs inside a transaction: one given to `transaction().execute()` or
 * `tenantTransaction()`, or with a parameter whose type holds a transaction.
 */
export interface TransactionRules {
  /**
   * Reads which interfaces of a file hold a transaction, such as `Facts`. Before `faultsOf`, for
   * every file.
   */
  learn(program: Program): void
  /** What breaks the rule, each with its place in the text. */
  faultsOf(program: Program): { at: number; fault: string }[]
}

interface AnyNode {
  type: string
  start: number
  [key: string]: unknown
}

/** Parts of the service that never take a connection of the pool, or only later. */
const harmless = new Set(['config', 'clock', 'log', 'metrics', 'systems', 'tokens'])

export function createTransactionRules(): TransactionRules {
  /** Types that hold a transaction. */
  const holding = new Set(['Trx', 'TenantTrx'])

  function learn(program: Program): void {
    for (const node of nodesOf(program as unknown as AnyNode)) {
      if (node.type !== 'TSInterfaceDeclaration') continue
      const members = (node.body as unknown as { body: AnyNode[] }).body
      const holds = members.some(
        (member) => member.type === 'TSPropertySignature' && typeNames(member).has('Trx'),
      )
      if (holds) holding.add((node.id as unknown as { name: string }).name)
    }
  }

  function faultsOf(program: Program): { at: number; fault: string }[] {
    const faults = new Map<number, string>()
    const nodes = [...nodesOf(program as unknown as AnyNode)]
    const callbacks = new Set(nodes.flatMap(transactionCallback))
    for (const node of nodes) {
      if (!isFunction(node)) continue
      const handles = handlesOf(node)
      if (callbacks.has(node))
        for (const param of node.params as AnyNode[])
          for (const name of boundNames(param)) handles.add(name)
      if (handles.size === 0 && !callbacks.has(node)) continue
      checkTypes(node, faults)
      checkBody(node.body as AnyNode | null, handles, faults)
    }
    return [...faults].map(([at, fault]) => ({ at, fault }))
  }

  /** Names of a function's parameters that are or hold a transaction. */
  function handlesOf(fn: AnyNode): Set<string> {
    const names = new Set<string>()
    for (const param of fn.params as AnyNode[]) {
      const typed = [...typeNames(param)].some((name) => holding.has(name))
      const untyped = typeNames(param).size === 0
      for (const name of boundNames(param))
        if (typed || (untyped && (name === 'trx' || name === 'facts'))) names.add(name)
    }
    return names
  }

  function checkTypes(fn: AnyNode, faults: Map<number, string>): void {
    for (const param of fn.params as AnyNode[]) {
      for (const name of ['Services', 'Context', 'Database'])
        if (typeNames(param).has(name))
          faults.set(param.start, `takes a ${name} beside a transaction; take InTransaction`)
    }
  }

  function checkBody(
    body: AnyNode | null,
    handles: ReadonlySet<string>,
    faults: Map<number, string>,
  ): void {
    if (!body) return
    for (const node of nodesOf(body)) {
      if (node.type === 'MemberExpression' && nameOf(node.property) === 'database')
        faults.set(node.start, 'asks the database past the open transaction')
      if (node.type !== 'CallExpression' && node.type !== 'NewExpression') continue
      const args = node.arguments as AnyNode[]
      const outer =
        !handles.has('db') &&
        [node.callee as AnyNode, ...args].some((part) => pathOf(part)[0] === 'db')
      if (outer) faults.set(node.start, 'asks the database past the open transaction')
      const provided = args.some((arg) =>
        [...nodesOf(arg)].some(
          (part) =>
            part.type === 'Identifier' && (part.name === 'trx' || handles.has(String(part.name))),
        ),
      )
      if (provided) continue
      const path = pathOf(node.callee as AnyNode)
      const leads = path.indexOf('services')
      const part = leads >= 0 ? path[leads + 1] : undefined
      const whole = args.find((arg) => ['services', 'ctx'].includes(pathOf(arg).at(-1) ?? ''))
      if (whole || (part !== undefined && !harmless.has(part)))
        faults.set(
          node.start,
          `calls ${path.join('.') || 'a function'} without the open transaction`,
        )
    }
  }

  return { learn, faultsOf }
}

/** The function that `transaction().execute()` or `tenantTransaction()` is given. */
function transactionCallback(node: AnyNode): AnyNode[] {
  if (node.type !== 'CallExpression') return []
  const callee = node.callee as AnyNode
  if (callee.name === 'tenantTransaction') return (node.arguments as AnyNode[]).filter(isFunction)
  if (callee.type !== 'MemberExpression' || nameOf(callee.property) !== 'execute') return []
  const started = [...nodesOf(callee.object as AnyNode)].some(
    (part) =>
      part.type === 'CallExpression' && nameOf((part.callee as AnyNode).property) === 'transaction',
  )
  return started ? (node.arguments as AnyNode[]).filter(isFunction) : []
}

function isFunction(node: AnyNode): boolean {
  return ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'].includes(
    node.type,
  )
}

function* nodesOf(node: AnyNode, without?: string): Generator<AnyNode> {
  if (node.type === without) return
  yield node
  for (const key of visitorKeys[node.type] ?? []) {
    const child = node[key]
    for (const one of Array.isArray(child) ? child : [child])
      if (isNode(one)) yield* nodesOf(one, without)
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && typeof node.name === 'string' ? node.name : undefined
}

/** `services.jobs.wake` as its names. */
function pathOf(node: AnyNode): string[] {
  if (node.type === 'Identifier') return [String(node.name)]
  if (node.type !== 'MemberExpression') return []
  return [...pathOf(node.object as AnyNode), nameOf(node.property) ?? '']
}

/** Names of types in a parameter's annotation; not what a function in it takes. */
function typeNames(node: AnyNode): Set<string> {
  const names = new Set<string>()
  const annotation =
    node.type === 'AssignmentPattern' ? (node.left as AnyNode).typeAnnotation : node.typeAnnotation
  if (!isNode(annotation)) return names
  for (const part of nodesOf(annotation, 'TSFunctionType')) {
    const name = part.type === 'TSTypeReference' ? nameOf(part.typeName) : undefined
    if (name !== undefined) names.add(name)
  }
  return names
}

function boundNames(param: AnyNode): string[] {
  return [...nodesOf(param, 'TSTypeAnnotation')].flatMap((node) =>
    node.type === 'Identifier' ? [String(node.name)] : [],
  )
}
