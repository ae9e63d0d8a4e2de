/**
 * What a table holds under a text from outside; undefined for names such as `constructor`, which
 * every object inherits.
 */
export function ownValue<Value>(
  table: Readonly<Record<string, Value>>,
  key: string,
): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined
}
