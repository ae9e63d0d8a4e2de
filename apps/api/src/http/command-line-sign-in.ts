import { errorText } from '@atrium/core/platform/error-text'
import { AppError } from '@atrium/core/platform/errors'
import type { Hono } from 'hono'
import type { Config } from '../platform/config.ts'
import type { AppEnv } from './request-info.ts'

/**
 * `GET /sign-in/command-line`: the issuer and the public client with which `atrium login` signs
 * people in by device code (RFC 8628). Two settings, the same for every caller.
 */
export function registerCommandLineSignIn(app: Hono<AppEnv>, { tokens }: Config): void {
  app.get('/sign-in/command-line', (c) => {
    c.set('route', '/sign-in/command-line')
    if (!tokens.commandLine) throw new AppError('not_found', errorText('noCommandLineSignIn'))
    const { issuer, audience } = tokens.commandLine
    return c.json({ issuer, clientId: audience })
  })
}
