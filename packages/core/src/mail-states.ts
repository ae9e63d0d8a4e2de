import { z } from 'zod'

export const mailStates = ['queued', 'sending', 'sent', 'failed', 'gave_up'] as const
export const mailState = z.enum(mailStates)
/** `failed`: tried and due again; `gave_up`: nobody tries again by itself. */
export type MailState = z.infer<typeof mailState>
