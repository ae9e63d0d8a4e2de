import { HTTPException } from 'hono/http-exception'
import type { z } from 'zod'

/**
 * The body as the schema takes it; an absent body counts as `{}`. Throws 400 with the issues, or
 * 415.
 */
export async function readJson<S extends z.ZodType>(
  request: Request,
  schema: S,
): Promise<z.output<S>> {
  const text = await request.text()
  const type = request.headers.get('content-type') ?? ''
  if (text !== '' && !type.startsWith('application/json'))
    reject(415, { error: 'The body must be application/json.' })
  const parsed = schema.safeParse(parseJson(text))
  if (!parsed.success)
    return reject(400, { error: 'The body is not as it should be.', issues: parsed.error.issues })
  return parsed.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text)
  } catch {
    return reject(400, { error: 'The body is not JSON.', issues: [] })
  }
}

function reject(status: 400 | 415, body: unknown): never {
  throw new HTTPException(status, { res: Response.json(body, { status }) })
}
