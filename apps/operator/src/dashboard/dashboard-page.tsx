import { LinkButton } from '@atrium/ui/links'
import { PageHeader } from '@atrium/ui/page-header'
import { Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { createLazyRoute } from '@tanstack/react-router'
import { AuditPreview } from '../audit/audit-preview.tsx'
import { AttentionPanel } from './attention-panel.tsx'
import { Figures } from './figures.tsx'
import { RevenueFigures } from './revenue-figures.tsx'
import { TroublePanel } from './trouble-panel.tsx'

export const Route = createLazyRoute('/authenticated/')({ component: DashboardPage })

function DashboardPage() {
  return (
    <>
      <PageHeader
        title="Overview"
        actions={
          <LinkButton to="/tenants/new" leftSection={<IconPlus size={18} aria-hidden />}>
            New tenant
          </LinkButton>
        }
      />
      <Stack gap="lg">
        <Figures />
        <RevenueFigures />
        <AttentionPanel />
        <TroublePanel />
        <AuditPreview title="Last entries of the audit log" filters={{}} />
      </Stack>
    </>
  )
}
