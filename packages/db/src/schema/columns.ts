import type { ColumnType } from 'kysely'

/** `timestamptz` with a default. */
export type Timestamp = ColumnType<Date, Date | string | undefined, Date | string>
/** `timestamptz` that every insert sets. */
export type RequiredTimestamp = ColumnType<Date, Date | string, Date | string>
/** `timestamptz` that may be null. */
export type OptionalTimestamp = ColumnType<
  Date | null,
  Date | string | null | undefined,
  Date | string | null
>
/** `bigint`: read as text, written as a whole number or text. */
export type BigintColumn = ColumnType<string, number | bigint | string, number | bigint | string>
/** `bigint` with a default. */
export type GeneratedBigint = ColumnType<
  string,
  number | bigint | string | undefined,
  number | bigint | string
>
/** `bigint` that may be null. */
export type OptionalBigint = ColumnType<
  string | null,
  number | bigint | string | null | undefined,
  number | bigint | string | null
>
