import { PageHeader } from '@atrium/ui/page-header'
import { signInAddress } from '@atrium/ui/trpc-client'
import { Button, Text } from '@mantine/core'
import { FrontPage } from '../layout/front-page.tsx'

/** Nobody is signed in. Signing in leads back to the address that was asked for. */
export function WelcomePage() {
  return (
    <FrontPage>
      <PageHeader
        title="Operator portal"
        description="Tenants, users and the audit log of the whole platform."
      />
      <Button component="a" href={signInAddress()} size="md" fullWidth>
        Sign in
      </Button>
      <Text size="sm" c="dimmed" mt="lg">
        This door is for platform operators. Customers sign in at their own portal. What is done
        here is recorded in the audit log.
      </Text>
    </FrontPage>
  )
}
