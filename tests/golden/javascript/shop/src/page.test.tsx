import { render } from '@testing-library/react'

const Page = () => <main>it('is text', fn) and {'describe'}</main>

suite('page', () => {
  test('shows the shop', () => {
    render(<Page />)
  })
})
