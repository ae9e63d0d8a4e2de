import { LinkAnchor } from '@atrium/ui/links'
import { translations } from '@atrium/ui/messages'
import { Card, SimpleGrid, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTRPC } from '../trpc.ts'
import { countOfPage } from './count.ts'
import classes from './figures.module.css'

const t = translations('operator.dashboard')

/** How many rows are read for a count; more are shown as `50+`. */
const counted = 50

/** Counts, each with a link to its list. */
export function Figures() {
  const trpc = useTRPC()
  const pending = useQuery(trpc.tenants.list.queryOptions({ status: 'pending', limit: counted }))
  const suspended = useQuery(
    trpc.tenants.list.queryOptions({ status: 'suspended', limit: counted }),
  )
  const admins = useQuery(
    trpc.users.list.queryOptions({ platformAdmin: true, status: 'active', limit: counted }),
  )
  const deactivated = useQuery(
    trpc.users.list.queryOptions({ status: 'deactivated', limit: counted }),
  )
  return (
    <SimpleGrid
      cols={{ base: 2, md: 4 }}
      spacing="md"
      component="section"
      aria-label={t('counts.label')}
    >
      <Figure page={pending}>
        <LinkAnchor to="/tenants" search={{ status: 'pending' }} className={classes.label}>
          {t('counts.pending')}
        </LinkAnchor>
      </Figure>
      <Figure page={suspended}>
        <LinkAnchor to="/tenants" search={{ status: 'suspended' }} className={classes.label}>
          {t('counts.suspended')}
        </LinkAnchor>
      </Figure>
      <Figure page={admins}>
        <LinkAnchor
          to="/users"
          search={{ platformAdmin: 'true', status: 'active' }}
          className={classes.label}
        >
          {t('counts.admins')}
        </LinkAnchor>
      </Figure>
      <Figure page={deactivated}>
        <LinkAnchor to="/users" search={{ status: 'deactivated' }} className={classes.label}>
          {t('counts.deactivated')}
        </LinkAnchor>
      </Figure>
    </SimpleGrid>
  )
}

interface FigureProps {
  page: {
    data: { items: readonly unknown[]; nextCursor: string | null } | undefined
    isError: boolean
  }
  /** The link that names the figure. */
  children: ReactNode
}

function Figure({ page, children }: FigureProps) {
  return (
    <Card padding="md" bg="var(--atrium-surface)" className={classes.card}>
      {page.data ? (
        <Text className={classes.count}>{countOfPage(page.data)}</Text>
      ) : page.isError ? (
        <Text className={classes.count} c="dimmed" title={t('counts.failed')}>
          ?
        </Text>
      ) : (
        <Skeleton h={36} w={56} />
      )}
      {children}
    </Card>
  )
}
