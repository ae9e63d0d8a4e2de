/** A statement of a migration that keeps people waiting, with the rule that it breaks. */
export interface HardLock {
  migration: string
  rule: keyof typeof rules
  /** The table that is in use meanwhile. */
  table: string
}

/**
 * Statements that hold a strong lock on a table for as long as it is large (PostgreSQL, ALTER
 * TABLE, notes; CREATE INDEX, building concurrently), each with what to write instead.
 */
const rules = {
  'index without concurrently': 'let packages/db/src/schema/online-indexes.ts build it',
  'constraint that is checked at once': 'add it NOT VALID, and validate it in the next migration',
  'foreign key that is checked at once': 'add it NOT VALID, and validate it in the next migration',
  'validated in the transaction that adds it':
    'validate it in the next migration: until then the lock of ADD CONSTRAINT is held',
  'not null without a validated check':
    'add a check NOT VALID, validate it in the next migration, then SET NOT NULL',
  'column whose default is computed per row':
    'add it without default, fill it in parts, then set the default',
  'rows filled under the lock of the change': 'fill them in the next migration, in parts',
  'type of a column changed': 'add a column of the new type beside it',
  'column, table or constraint renamed': 'the version before still asks for the old name',
  'column dropped': 'let one version go without it first',
} as const

/** What to write instead of what a rule rejects. */
export const remedyOf = (rule: HardLock['rule']): string => rules[rule]

/** Functions that give another value for each row, or at each call. */
const perRow =
  /\b(gen_random_uuid|uuidv7|uuidv4|random|clock_timestamp|timeofday|nextval|atrium_uuid7?)\s*\(/i

/**
 * What a migration's statements do to tables that were there before it, each once. `statements` as
 * they were sent, in order.
 */
export function hardLocksOf(
  migration: string,
  statements: readonly string[],
  tables: ReadonlySet<string>,
): HardLock[] {
  const found = new Map<string, HardLock>()
  const note = (rule: HardLock['rule'], table: string) =>
    found.set(`${table} ${rule}`, { migration, rule, table })
  const added = new Set<string>()
  const altered = new Set<string>()
  for (const statement of statements.flatMap(split)) {
    const [, concurrently, indexed] =
      /^create (?:unique )?index (concurrently )?(?:if not exists )?\S+ on (?:only )?([a-z_]+)/i.exec(
        statement,
      ) ?? []
    if (indexed && tables.has(indexed) && !concurrently) note('index without concurrently', indexed)
    const filled = /^update (?:only )?([a-z_]+) /i.exec(statement)?.[1]
    if (filled && altered.has(filled)) note('rows filled under the lock of the change', filled)
    const [, table, clauses] =
      /^alter table (?:if exists )?(?:only )?([a-z_]+) (.*)$/i.exec(statement) ?? []
    if (!table || !clauses || !tables.has(table)) continue
    altered.add(table)
    for (const clause of clauses.split(/, (?=(?:add|alter|drop|rename|validate) )/i)) {
      const rule = ruleBrokenBy(clause, added)
      if (rule) note(rule, table)
    }
  }
  return [...found.values()]
}

/** One clause of ALTER TABLE. Constraints that it adds are noted in `added`. */
function ruleBrokenBy(clause: string, added: Set<string>): HardLock['rule'] | undefined {
  const [, constraint, kind] =
    /^add constraint (\S+) (check|foreign key|unique|exclude|primary key)/i.exec(clause) ?? []
  if (constraint) {
    added.add(constraint)
    if (/\bnot valid$/i.test(clause) || /\busing index\b/i.test(clause)) return undefined
    return kind?.toLowerCase() === 'foreign key'
      ? 'foreign key that is checked at once'
      : 'constraint that is checked at once'
  }
  const validated = /^validate constraint (\S+)/i.exec(clause)?.[1]
  if (validated)
    return added.has(validated) ? 'validated in the transaction that adds it' : undefined
  if (/^add column\b/i.test(clause)) {
    if (/\bdefault\b/i.test(clause) && perRow.test(clause))
      return 'column whose default is computed per row'
    if (/\breferences\b/i.test(clause)) return 'foreign key that is checked at once'
    return /\bcheck\s*\(/i.test(clause) ? 'constraint that is checked at once' : undefined
  }
  if (/\bset not null\b/i.test(clause)) return 'not null without a validated check'
  if (/^alter (?:column )?\S+ (?:set data )?type\b/i.test(clause)) return 'type of a column changed'
  if (/^rename\b/i.test(clause)) return 'column, table or constraint renamed'
  return /^drop column\b/i.test(clause) ? 'column dropped' : undefined
}

/**
 * The statements of a text, outside of the bodies of functions, without comments and line breaks.
 */
function split(text: string): string[] {
  const bodies = text.replaceAll(/(\$[a-z_]*\$)[\s\S]*?\1/gi, "''").replaceAll(/--[^\n]*/g, '')
  return bodies
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter(Boolean)
}
