// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC20, Transfers} from "./IERC20.sol";
import {Pool} from "./Pool.sol";

/// Swaps an owner's tokens on the word of a session key: within its expiry, its tokens and its allowance, each id once.
///
/// The owner approves this contract at the tokens and opens a session. The key can do nothing but swap, and what comes
/// of a swap goes to the owner. Nobody administers this contract: its pools are fixed when it is made.
contract SessionRouter {
    using Transfers for IERC20;

    error SessionUnknown(address key);
    error SessionTaken(address key);
    error SessionExpired(address key, uint256 expiresAt);
    error TokenNotAllowed(address token);
    error AllowanceExceeded(address token, uint256 remaining, uint256 wanted);
    error PoolUnknown(address from, address to);
    error DeadlinePassed(uint256 deadline, uint256 time);
    error AlreadySwapped(bytes32 id);

    struct Session {
        address owner;
        uint256 expiresAt;
    }

    struct Limit {
        address token;
        uint256 allowance;
    }

    event SessionOpened(address indexed key, address indexed owner, uint256 expiresAt);
    event SessionClosed(address indexed key);
    event Swapped(
        address indexed key, bytes32 indexed id, address indexed owner, address from, address to, uint256 amountIn, uint256 amountOut
    );

    /// By session key.
    mapping(address => Session) public sessions;
    /// By session key and token: may the session touch it at all?
    mapping(address => mapping(address => bool)) public allowed;
    /// By session key and token: how much it may still spend.
    mapping(address => mapping(address => uint256)) public remaining;
    /// By session key and id: has this swap happened?
    mapping(address => mapping(bytes32 => bool)) public swapped;
    /// By both tokens, in either order.
    mapping(address => mapping(address => Pool)) public pools;

    constructor(Pool[] memory pools_) {
        for (uint256 i = 0; i < pools_.length; i++) {
            (address a, address b) = (pools_[i].token0(), pools_[i].token1());
            pools[a][b] = pools[b][a] = pools_[i];
        }
    }

    /// One key, one session: a new session takes a new key. An allowance of 0: the token may only be bought.
    function openSession(address key, uint256 expiresAt, Limit[] calldata limits) external {
        if (sessions[key].owner != address(0)) revert SessionTaken(key);
        sessions[key] = Session(msg.sender, expiresAt);
        for (uint256 i = 0; i < limits.length; i++) {
            allowed[key][limits[i].token] = true;
            remaining[key][limits[i].token] = limits[i].allowance;
        }
        emit SessionOpened(key, msg.sender, expiresAt);
    }

    function closeSession(address key) external {
        if (sessions[key].owner != msg.sender) revert SessionUnknown(key);
        sessions[key].expiresAt = block.timestamp;
        emit SessionClosed(key);
    }

    function quote(address from, address to, uint256 amountIn)
        external
        view
        returns (uint256 amountOut, uint256 reserveIn, uint256 reserveOut)
    {
        Pool pool = poolOf(from, to);
        (reserveIn, reserveOut) = pool.reserves(from);
        amountOut = pool.amountOut(amountIn, reserveIn, reserveOut);
    }

    /// To be sent by the session key.
    function swap(address from, address to, uint256 amountIn, uint256 minOut, uint256 deadline, bytes32 id)
        external
        returns (uint256 amountOut)
    {
        if (swapped[msg.sender][id]) revert AlreadySwapped(id);
        if (block.timestamp > deadline) revert DeadlinePassed(deadline, block.timestamp);
        address owner = spend(msg.sender, from, to, amountIn);
        swapped[msg.sender][id] = true;
        Pool pool = poolOf(from, to);
        IERC20(from).pull(owner, address(pool), amountIn);
        amountOut = pool.swap(from, minOut, owner);
        emit Swapped(msg.sender, id, owner, from, to, amountIn, amountOut);
    }

    function spend(address key, address from, address to, uint256 amount) private returns (address owner) {
        Session memory session = sessions[key];
        if (session.owner == address(0)) revert SessionUnknown(key);
        if (block.timestamp >= session.expiresAt) revert SessionExpired(key, session.expiresAt);
        if (!allowed[key][from]) revert TokenNotAllowed(from);
        if (!allowed[key][to]) revert TokenNotAllowed(to);
        uint256 left = remaining[key][from];
        if (left < amount) revert AllowanceExceeded(from, left, amount);
        remaining[key][from] = left - amount;
        return session.owner;
    }

    function poolOf(address from, address to) private view returns (Pool pool) {
        pool = pools[from][to];
        if (address(pool) == address(0)) revert PoolUnknown(from, to);
    }
}
