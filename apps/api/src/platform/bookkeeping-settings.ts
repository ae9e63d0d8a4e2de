import {
  type Account,
  type AccountName,
  type Accounts,
  accountNames,
  accountsOf,
  type Chart,
  charts,
} from '@atrium/core/billing/bookkeeping'
import { z } from 'zod'

const isAccountName = (name: string): name is AccountName =>
  accountNames.some((one) => one === name)

/** `name=account` or `name=account/tax key` with commas between them: `bank=1210,fees=4970/94`. */
const accountNumbers = z.string().transform((text, ctx) => {
  const accounts: Partial<Record<AccountName, Account>> = {}
  for (const pair of text.split(',').filter((one) => one.trim() !== '')) {
    const [, name = '', number = '', taxKey] =
      /^\s*(\w+)\s*=\s*(\d{4,9})(?:\/(\d{1,4}))?\s*$/.exec(pair) ?? []
    if (isAccountName(name)) accounts[name] = { number, taxKey: taxKey ?? null }
    else ctx.addIssue(`holds ${pair.trim()}, which is no name=account`)
  }
  return accounts
})

/** Settings of the bookkeeping export; `docs/how-to/bookkeeping.md` describes each. */
export const bookkeepingShape = {
  BOOKKEEPING_CHART: z.enum(charts).default('skr03'),
  BOOKKEEPING_ACCOUNTS: accountNumbers.optional(),
  BOOKKEEPING_FIRST_MONTH: z.coerce.number().int().min(1).max(12).default(1),
  DATEV_CONSULTANT: z.coerce.number().int().min(1_001).max(9_999_999).default(1_001),
  DATEV_CLIENT: z.coerce.number().int().min(1).max(99_999).default(1),
}

export interface BookkeepingSettings {
  chart: Chart
  accounts: Accounts
  /** Of the financial year, 1 to 12. */
  firstMonth: number
  consultant: number
  client: number
}

type Values = { [Name in keyof typeof bookkeepingShape]: z.output<(typeof bookkeepingShape)[Name]> }

export function bookkeepingOf(e: Values): BookkeepingSettings {
  return {
    chart: e.BOOKKEEPING_CHART,
    accounts: accountsOf(e.BOOKKEEPING_CHART, e.BOOKKEEPING_ACCOUNTS ?? {}),
    firstMonth: e.BOOKKEEPING_FIRST_MONTH,
    consultant: e.DATEV_CONSULTANT,
    client: e.DATEV_CLIENT,
  }
}
