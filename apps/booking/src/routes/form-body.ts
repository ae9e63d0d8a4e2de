import type { AppContext } from '../request.ts'

/** The fields of a sent form; empty for a body of another kind. */
export async function readFormBody(c: AppContext): Promise<URLSearchParams> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  return new URLSearchParams(type === 'application/x-www-form-urlencoded' ? await c.req.text() : '')
}

/** True for an instant in UTC as our own pages write it. */
export function isInstant(text: string | undefined): text is string {
  if (text === undefined || !/^20\d{2}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/.test(text))
    return false
  return !Number.isNaN(Date.parse(text))
}
