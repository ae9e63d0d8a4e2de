import type { Db, Trx } from './connect.ts'

export interface PartnerRow {
  id: string
  slug: string
  name: string
  status: 'active' | 'suspended' | 'terminated'
}

export function findPartner(db: Db | Trx, id: string): Promise<PartnerRow | undefined> {
  return db.selectFrom('partners').select(['id', 'slug', 'name', 'status']).where('id', '=', id).executeTakeFirst()
}
