import { type Home } from './pages/home'
export const menu: Home[] = []
