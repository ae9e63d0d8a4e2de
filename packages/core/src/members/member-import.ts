import { z } from 'zod'
import { says } from '../platform/issue-text.ts'
import {
  hasUnsafeCharacters,
  instant,
  onSeveralLines,
  withoutInvisibleSeparators,
} from '../platform/text.ts'

const slug = z.string().max(200)

/** Rows that one import may have. */
export const importLimit = 2000

/** Characters of an import; the body of a request is bounded too. */
const csvLength = 900_000

export const importColumns = [
  'email',
  'name',
  'firstName',
  'lastName',
  'role',
  'phone',
  'alternativeEmail',
] as const
export type ImportColumn = (typeof importColumns)[number]

/**
 * `csv` begins with a line of column names, of which `email` must be there. `dryRun` judges every
 * row and makes nothing.
 */
export const StartImport = z.strictObject({
  slug,
  csv: z
    .string()
    .min(1)
    .max(csvLength)
    // Cells drop them by the rules of their fields.
    .refine(
      (text) => !hasUnsafeCharacters(withoutInvisibleSeparators(text).replace(/[\r\n\t]/g, ' ')),
      says('hiddenCharacters'),
    )
    .meta({ openapi: { pattern: onSeveralLines(0) } }),
  dryRun: z.boolean(),
})
export type StartImport = z.infer<typeof StartImport>

export const importStates = ['checked', 'running', 'stopped', 'done'] as const
/**
 * `stopped`: no worker holds it although rows are left; resume it. The job engine also resumes it
 * automatically.
 */
export const importState = z.enum(importStates)
export const importRowStates = [
  'ready',
  'running',
  'created',
  'invited',
  'incomplete',
  'refused',
] as const
/**
 * `invited`: the address is outside the tenant's domains, and becomes a member by accepting.
 * `incomplete`: the member is there and an upstream system has not done its part yet; it is
 * retried.
 */
export const importRowState = z.enum(importRowStates)
export type ImportRowState = z.infer<typeof importRowState>

export const ImportRow = z.object({
  /** Line of the text, counted from 1; a row with line breaks in quotes counts from its first. */
  line: z.int().min(1),
  email: z.string(),
  name: z.string().nullable(),
  role: z.string().nullable(),
  state: importRowState,
  /**
   * Why a row was rejected: a code of `/docs/errors` and a sentence; `issues` for fields that
   * cannot be used.
   */
  code: z.string().nullable(),
  message: z.string().nullable(),
  issues: z.array(z.object({ path: z.string(), message: z.string() })),
  userId: z.uuid().nullable(),
})
export type ImportRow = z.infer<typeof ImportRow>

/**
 * No passwords: an imported member's first one is made by resetting it (`needsPassword` of the
 * member).
 */
export const ImportView = z.object({
  /** Null for a dry run, which is not kept. */
  id: z.uuid().nullable(),
  dryRun: z.boolean(),
  state: importState,
  counts: z.object({
    total: z.int(),
    ready: z.int(),
    running: z.int(),
    created: z.int(),
    invited: z.int(),
    incomplete: z.int(),
    refused: z.int(),
  }),
  rows: z.array(ImportRow),
  createdAt: instant,
  finishedAt: instant.nullable(),
})
export type ImportView = z.infer<typeof ImportView>

export const ImportPath = z.strictObject({
  slug,
  importId: z.uuid(),
})
export type ImportPath = z.infer<typeof ImportPath>

export const GetImport = z.strictObject({
  ...ImportPath.shape,
  /** Which rows to show beside the counts. */
  rows: z.enum(['all', 'problems', 'none']).default('all'),
})
export type GetImport = z.infer<typeof GetImport>
