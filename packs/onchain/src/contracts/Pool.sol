// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20, Transfers} from "./IERC20.sol";

/// A constant-product pool of two tokens with a fee of 0.3 %, which stays in the pool. No shares: what is put in stays.
contract Pool {
    using Transfers for IERC20;

    error TokenUnknown(address token);
    error AmountTooLarge(uint256 amount);
    error OutputTooSmall(uint256 amountOut, uint256 minOut);
    error PoolEmpty();

    event Funded(uint256 amount0, uint256 amount1);

    /// Products of two such numbers and of 997 stay below 2^256.
    uint256 private constant MAX = type(uint112).max;

    address public immutable token0;
    address public immutable token1;
    uint256 private reserve0;
    uint256 private reserve1;

    constructor(address token0_, address token1_) {
        if (token0_ == token1_) revert TokenUnknown(token1_);
        token0 = token0_;
        token1 = token1_;
    }

    /// Takes both amounts from the caller, who has approved them.
    function fund(uint256 amount0, uint256 amount1) external {
        reserve0 = bounded(reserve0 + amount0);
        reserve1 = bounded(reserve1 + amount1);
        emit Funded(amount0, amount1);
        IERC20(token0).pull(msg.sender, address(this), amount0);
        IERC20(token1).pull(msg.sender, address(this), amount1);
    }

    function reserves(address from) public view returns (uint256 reserveIn, uint256 reserveOut) {
        if (from == token0) return (reserve0, reserve1);
        if (from == token1) return (reserve1, reserve0);
        revert TokenUnknown(from);
    }

    /// out = in * 0.997 * reserveOut / (reserveIn + in * 0.997), rounded down: (x + dx)(y - dy) never falls below xy.
    function amountOut(uint256 amountIn, uint256 reserveIn, uint256 reserveOut) public pure returns (uint256) {
        if (reserveIn == 0 || reserveOut == 0) revert PoolEmpty();
        uint256 net = bounded(amountIn) * 997;
        return (net * bounded(reserveOut)) / (bounded(reserveIn) * 1000 + net);
    }

    /// Swaps what the caller has sent to the pool just before, in the same transaction. Call it through a router.
    function swap(address from, uint256 minOut, address to) external returns (uint256 out) {
        (uint256 reserveIn, uint256 reserveOut) = reserves(from);
        uint256 balance = bounded(IERC20(from).balanceOf(address(this)));
        out = amountOut(balance - reserveIn, reserveIn, reserveOut);
        if (out < minOut) revert OutputTooSmall(out, minOut);
        (reserve0, reserve1) = from == token0 ? (balance, reserveOut - out) : (reserveOut - out, balance);
        IERC20(from == token0 ? token1 : token0).push(to, out);
    }

    function bounded(uint256 amount) private pure returns (uint256) {
        if (amount > MAX) revert AmountTooLarge(amount);
        return amount;
    }
}
