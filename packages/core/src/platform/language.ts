import { type Language, languages } from '@atrium/messages/languages'
import { z } from 'zod'

export type { Language }

/** A language that people and tenants can choose. */
export const language = z.enum(languages)
