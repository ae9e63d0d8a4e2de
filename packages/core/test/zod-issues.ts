import type { z } from 'zod'

const issuesIn = (schema: z.ZodType, input: unknown) => schema.safeParse(input).error?.issues ?? []

/** Why a schema rejects the input, each as `path: sentence`; empty when it takes it. */
export const zodIssues = (schema: z.ZodType, input: unknown): string[] =>
  issuesIn(schema, input).map(({ path, message }) => `${path.join('.')}: ${message}`)

/** The dotted path of each of those issues. */
export const zodIssuePaths = (schema: z.ZodType, input: unknown): string[] =>
  issuesIn(schema, input).map(({ path }) => path.join('.'))
